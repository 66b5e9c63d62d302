/**
 * The layouts of the files, step by step (`storage/migrations/`), and the upgrade of a file to the newest one. A file's
 * `user_version` is the number of steps it has had.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Ddl, Steps } from '../migrations/ddl.ts';
import { directoryLayout } from '../migrations/directory.ts';
import { logsLayout } from '../migrations/logs.ts';
import type { FileName } from './folder.ts';

const definition = (name: string, columns: readonly string[]) => `CREATE TABLE ${name} (${columns.join(', ')}) STRICT`;

const ddl: Ddl = {
  named: (name) => name,
  number: 'INTEGER',
  text: 'TEXT',
  flag: (name) => `${name} INTEGER NOT NULL DEFAULT 0 CHECK (${name} IN (0, 1))`,
  id: () => 'id INTEGER PRIMARY KEY AUTOINCREMENT',
  table: (name, ...columns) => definition(name, columns),
  tableByKey: (name, ...columns) => `${definition(name, columns)}, WITHOUT ROWID`,
  afterRows: (name, last) => [`UPDATE sqlite_sequence SET seq = ${last} WHERE name = '${name}'`],
  passedIds: () => [],
  appendOnly: (name) =>
    [
      ['changed', 'UPDATE'],
      ['deleted', 'DELETE'],
    ].map(
      ([done, operation]) => `CREATE TRIGGER ${name}_is_not_${done} BEFORE ${operation} ON ${name}
    BEGIN SELECT raise(ABORT, 'the audit trail is append-only'); END`,
    ),
  // `server`: the process that uses the folder (`server-lock.ts`).
  installation: [
    `CREATE TABLE installation (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL,
    is_settled INTEGER NOT NULL CHECK (is_settled IN (0, 1)),
    server TEXT
  ) STRICT`,
    `INSERT INTO installation (one, id, is_settled)
    SELECT 1, lower(hex(randomblob(16))), NOT EXISTS (SELECT 1 FROM data_space)`,
  ],
  identityTable: [
    `CREATE TABLE _identity (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    installation TEXT,
    space_id INTEGER,
    company_id_max INTEGER NOT NULL DEFAULT 0,
    user_id_max INTEGER NOT NULL DEFAULT 0,
    group_id_max INTEGER NOT NULL DEFAULT 0,
    role_id_max INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
    'INSERT INTO _identity (one) VALUES (1)',
  ],
  seeEntries: [
    `CREATE TRIGGER entry_is_seen AFTER INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM _identity WHERE company_id_max < NEW.company_id OR user_id_max < NEW.user_id)
    BEGIN
      UPDATE _identity SET company_id_max = max(company_id_max, NEW.company_id),
        user_id_max = max(user_id_max, NEW.user_id);
    END`,
  ],
};

/**
 * Data tables are created by definition changes (`storage/layout.ts`). Internal names begin with `_`, unlike any name
 * of a client.
 */
const space: Steps = [
  [
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
  DELETE FROM sqlite_stat1;`,
  ],
  ddl.identityTable,
  // Null in older rows.
  ['ALTER TABLE _history ADD COLUMN user_id INTEGER', 'ALTER TABLE _history ADD COLUMN operations TEXT'],
  ['ALTER TABLE _table ADD COLUMN lock_free INTEGER NOT NULL DEFAULT 0'],
  // `stored`: the name in the database, if different. `number`: the position of a column, or -1 for the table.
  [
    'ALTER TABLE _table ADD COLUMN stored TEXT',
    'ALTER TABLE _column ADD COLUMN stored TEXT',
    'ALTER TABLE _column ADD COLUMN given TEXT',
    `CREATE TABLE _bin (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    indexes TEXT NOT NULL,
    dropped_by TEXT NOT NULL,
    time INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) STRICT`,
    `CREATE TABLE _former_name (
    table_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (table_id, number, name)
  ) STRICT, WITHOUT ROWID`,
  ],
  // Completed changes of tables, for later queries.
  ['CREATE TABLE _job (id TEXT PRIMARY KEY, time INTEGER NOT NULL, content TEXT NOT NULL) STRICT, WITHOUT ROWID'],
  // The id of a table, 0 for none. Not a foreign key, because the table may have been removed.
  ['ALTER TABLE _column ADD COLUMN refers_to INTEGER NOT NULL DEFAULT 0'],
];

const joined = (steps: Steps) => steps.map((statements) => statements.join(';\n'));

export const directorySteps: readonly string[] = joined(directoryLayout(ddl));
const logsSteps: readonly string[] = joined(logsLayout(ddl));
export const spaceSteps: readonly string[] = joined(space);

export function stepsOf(file: FileName): readonly string[] {
  if (file === 'directory') return directorySteps;
  return file === 'logs' ? logsSteps : spaceSteps;
}

/**
 * Applies the steps that the file still lacks, each in its own transaction.
 * @param create whether a file without any step is allowed; otherwise it counts as one that lost its content
 * @returns whether anything was done
 * @throws Error when a newer program wrote the file
 */
export function migrate(db: DatabaseSync, steps: readonly string[], create: boolean): boolean {
  const version = () => Number(db.prepare('PRAGMA user_version').get()?.user_version);
  const before = version();
  if (before === steps.length) return false;
  if (before === 0 && !create) throw new Error('The file is empty: it is not a database of Rowhouse, or was damaged.');
  for (;;) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Read inside the transaction: another process may be doing the same.
      const present = version();
      const step = steps[present];
      if (present > steps.length) {
        throw new Error(
          `The file has layout ${present}, made by a newer Rowhouse; this one knows ${steps.length} at most.`,
        );
      }
      if (step !== undefined) db.exec(`${step}; PRAGMA user_version = ${present + 1}`);
      db.exec('COMMIT');
      if (step === undefined) return true;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}
