/**
 * The layout of a data space's file, step by step: the file's `user_version` says how many of them it has behind it. The
 * data tables themselves are made by definition changes (`layout.ts`). All names of ours begin with `_`, which no name
 * of a client does.
 */
import { identityTable } from './identity.ts';

export const spaceSteps: readonly string[] = [
  `
  CREATE TABLE _space (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    definition_version INTEGER NOT NULL,
    commit_seq INTEGER NOT NULL,
    next_table_id INTEGER NOT NULL
  ) STRICT;
  INSERT INTO _space VALUES (1, 1, 0, 1);

  CREATE TABLE _table (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE) STRICT;
  CREATE TABLE _column (
    table_id INTEGER NOT NULL REFERENCES _table (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    type TEXT NOT NULL,
    required INTEGER NOT NULL,
    system INTEGER NOT NULL,
    PRIMARY KEY (table_id, position),
    UNIQUE (table_id, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE _index (
    table_id INTEGER NOT NULL REFERENCES _table (id),
    position INTEGER NOT NULL,
    columns TEXT NOT NULL,
    is_unique INTEGER NOT NULL,
    PRIMARY KEY (table_id, position)
  ) STRICT, WITHOUT ROWID;

  -- In the order of writing, so that the oldest rows are the first ones of the file.
  CREATE TABLE _history (
    id INTEGER PRIMARY KEY,
    transaction_id TEXT NOT NULL UNIQUE,
    request_hash TEXT NOT NULL,
    answer TEXT NOT NULL,
    time INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE _tombstone (
    table_id INTEGER NOT NULL,
    object_id TEXT NOT NULL,
    time INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    audience TEXT NOT NULL,
    PRIMARY KEY (table_id, object_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE _audience_member (
    member TEXT NOT NULL,
    audience TEXT NOT NULL,
    PRIMARY KEY (member, audience)
  ) STRICT, WITHOUT ROWID;

  -- Makes the table in which the planner is told about indexes; nothing is known yet.
  ANALYZE;
  DELETE FROM sqlite_stat1;
  `,
  identityTable,
];
