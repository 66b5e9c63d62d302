/**
 * The layout of a data space's schema, step by step (`runner.ts`). The data tables themselves are made by definition
 * changes (`layout.ts`). All names of ours begin with `_`, which no name of a client does.
 */
import { createFunctions } from '../functions.ts';
import { identityTable } from './identity.ts';

const text = 'text COLLATE "C" NOT NULL';

export const spaceSteps: readonly (readonly string[])[] = [
  [
    `CREATE TABLE "~"._space (
      one smallint PRIMARY KEY CHECK (one = 1),
      definition_version bigint NOT NULL,
      next_table_id bigint NOT NULL
    )`,
    'INSERT INTO "~"._space VALUES (1, 1, 1)',
    `CREATE TABLE "~"._table (id bigint PRIMARY KEY, name ${text})`,
    'CREATE UNIQUE INDEX _table_name ON "~"._table (lower(name))',
    `CREATE TABLE "~"._column (
      table_id bigint NOT NULL REFERENCES "~"._table (id),
      position integer NOT NULL,
      name ${text},
      type ${text},
      required boolean NOT NULL,
      system boolean NOT NULL,
      PRIMARY KEY (table_id, position)
    )`,
    'CREATE UNIQUE INDEX _column_name ON "~"._column (table_id, lower(name))',
    `CREATE TABLE "~"._index (
      table_id bigint NOT NULL REFERENCES "~"._table (id),
      position integer NOT NULL,
      columns ${text},
      is_unique boolean NOT NULL,
      PRIMARY KEY (table_id, position)
    )`,
    // time: milliseconds; attempt: tells the writer of the row whether it was itself (`writers.ts`).
    `CREATE TABLE "~"._history (
      transaction_id ${text} PRIMARY KEY,
      request_hash ${text},
      attempt ${text},
      answer ${text},
      time bigint NOT NULL
    )`,
    'CREATE INDEX _history_time ON "~"._history (time)',
    `CREATE TABLE "~"._tombstone (
      table_id bigint NOT NULL,
      object_id ${text},
      time bigint NOT NULL,
      seq bigint NOT NULL,
      audience ${text},
      PRIMARY KEY (table_id, object_id)
    )`,
    `CREATE TABLE "~"._audience_member (member ${text}, audience ${text}, PRIMARY KEY (member, audience))`,
    ...createFunctions,
  ],
  identityTable('"~"'),
];
