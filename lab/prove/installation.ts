/**
 * Where a proof keeps its data, on either engine, and what is found there past the service: a data folder of SQLite, or
 * a database of a PostgreSQL server.
 */
import { cpSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { spaceSchema } from '../../src/storage/postgres/schemas.ts';
import { pathOf } from '../../src/storage/sqlite/folder.ts';
import { makeDatabase, type ScratchDatabase, withClient } from '../machine/scratch-database.ts';
import type { Stored } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { tableName } from './service.ts';

export interface Looked {
  /** What the engine's own check of a database says that is not as it should be. */
  readonly errors: readonly string[];
  readonly records: number;
  /** Rows of the history of transactions. */
  readonly transactions: number;
  /** Number of marks of transactions that the history does not have. */
  readonly strangers: number;
}

export interface Installation {
  readonly stored: Stored;
  look(space: Pick<Space, 'spaceId'>): Promise<Looked>;
  errors(space: Pick<Space, 'spaceId'>): Promise<string[]>;
  /** Another place with the same data; no server may be at work on this one. */
  copy(name: string): Promise<Installation>;
  remove(): Promise<void>;
}

/** What is there that was not answered, or the other way round; in sentences. */
export function differences(found: Looked, answered: Pick<Looked, 'records' | 'transactions'>): string[] {
  const { errors, records, transactions, strangers } = found;
  return [
    ...(records === answered.records ? [] : [`There are ${records} records; ${answered.records} were answered.`]),
    ...(transactions === answered.transactions
      ? []
      : [`The history has ${transactions} transactions; ${answered.transactions} were answered.`]),
    ...(strangers === 0 ? [] : [`${strangers} records have the mark of a transaction that the history does not know.`]),
    ...errors.map((error) => `integrity check: ${error}`),
  ];
}

const counts = (table: string, history: string) => `SELECT
  (SELECT count(*) FROM ${table}), (SELECT count(*) FROM ${history}),
  (SELECT count(*) FROM ${table} WHERE NOT EXISTS (SELECT 1 FROM ${history} WHERE transaction_id = mark))`;

function looked(errors: readonly string[], row: readonly unknown[]): Looked {
  const [records, transactions, strangers] = row.map(Number) as [number, number, number];
  return { errors, records, transactions, strangers };
}

export function sqliteIn(folder: string): Stored {
  return { storage: `sqlite:${folder}`, secretKey: '' };
}

export function folderInstallation(folder: string): Installation {
  const open = ({ spaceId }: Pick<Space, 'spaceId'>) =>
    new DatabaseSync(pathOf(folder, spaceId), { readOnly: true, timeout: 30_000 });
  return {
    stored: sqliteIn(folder),
    async look(space) {
      const db = open(space);
      try {
        const row = db.prepare(counts(`"${tableName}"`, '_history'));
        row.setReturnArrays(true);
        return looked(integrityErrors(folder, space), row.get() as unknown as unknown[]);
      } finally {
        db.close();
      }
    },
    errors: async (space) => integrityErrors(folder, space),
    async copy(name) {
      const copy = `${folder}-${name}`;
      cpSync(folder, copy, { recursive: true });
      return folderInstallation(copy);
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** What `PRAGMA integrity_check` says, without its `ok`. */
export function integrityErrors(folder: string, { spaceId }: Pick<Space, 'spaceId'>): string[] {
  const db = new DatabaseSync(pathOf(folder, spaceId), { readOnly: true, timeout: 30_000 });
  try {
    const rows = db.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok');
  } finally {
    db.close();
  }
}

export const secretKey = '5e'.repeat(32);

/** @param server address of a database of the server, from which others may be made */
export async function databaseInstallation(server: string): Promise<Installation> {
  return installationIn(server, await makeDatabase(server));
}

function installationIn(server: string, database: ScratchDatabase): Installation {
  const { url } = database;
  return {
    stored: { storage: url, secretKey },
    ...lookingInto(url),
    copy: async () => installationIn(server, await makeDatabase(server, url)),
    remove: () => database.remove(),
  };
}

/** @param url of a database that a service has its data in */
export function lookingInto(url: string): Pick<Installation, 'look' | 'errors'> {
  const ask = (sql: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query({ text: sql, rowMode: 'array' });
      return rows as unknown[][];
    });
  const errors = async ({ spaceId }: Pick<Space, 'spaceId'>) => {
    try {
      await ask('CREATE EXTENSION IF NOT EXISTS amcheck');
      await ask(`SELECT bt_index_check(indexrelid, true) FROM pg_index
        JOIN pg_class ON pg_class.oid = indrelid WHERE relnamespace = '${spaceSchema(spaceId)}'::regnamespace`);
      return [];
    } catch (error) {
      return [String(error)];
    }
  };
  return {
    async look(space) {
      const schema = `"${spaceSchema(space.spaceId)}"`;
      const [row] = await ask(counts(`${schema}."${tableName}"`, `${schema}._history`));
      return looked(await errors(space), row as unknown[]);
    },
    errors,
  };
}
