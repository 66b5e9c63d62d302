/** A data folder of the proof: made ready once by a server, then looked into from outside, past the service. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Settings } from '../src/config.ts';
import { pathOf } from '../src/storage/sqlite/folder.ts';
import { Connection } from './connection.ts';
import { startServer } from './process.ts';
import type { Space } from './server.ts';
import { defineRequest, tableName } from './service.ts';

/** One thread is enough for one data space, and starts sooner. */
export const proofSettings: Partial<Settings> = { writerThreads: 1, readerThreads: 1 };

export interface Prepared {
  readonly folder: string;
  readonly spaces: readonly Space[];
}

/** A folder with the company, the data spaces and their table, from a server that was stopped in order. */
export async function prepare(folder: string, spaceCount: number): Promise<Prepared> {
  const server = await startServer(folder, { spaces: spaceCount, settings: proofSettings });
  const connection = new Connection(server.port);
  for (const space of server.spaces) {
    const { status, body } = await connection.exchange(defineRequest(space), 30_000);
    if (status !== 200) throw new Error(`The table could not be defined: ${body}`);
  }
  connection.close();
  await server.stop();
  return { folder, spaces: server.spaces };
}

export function copyOf({ folder, spaces }: Prepared, name: string): Prepared {
  const copy = `${folder}-${name}`;
  cpSync(folder, copy, { recursive: true });
  return { folder: copy, spaces };
}

/** Runs the work with a scratch folder, and removes it afterwards. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-proof-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export interface Looked {
  /** What `PRAGMA integrity_check` says, without its `ok`. */
  readonly errors: readonly string[];
  readonly records: number;
  /** Rows of the history of transactions. */
  readonly transactions: number;
  /** Number of marks of transactions that the history does not have. */
  readonly strangers: number;
}

export function lookInto(folder: string, { spaceId }: Space): Looked {
  const db = new DatabaseSync(pathOf(folder, spaceId), { readOnly: true, timeout: 30_000 });
  try {
    const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
    return {
      errors: integrityErrors(folder, { spaceId }),
      records: number(`SELECT count(*) FROM "${tableName}"`),
      transactions: number('SELECT count(*) FROM _history'),
      strangers: number(`SELECT count(*) FROM "${tableName}" WHERE mark NOT IN (SELECT transaction_id FROM _history)`),
    };
  } finally {
    db.close();
  }
}

export function integrityErrors(folder: string, { spaceId }: Pick<Space, 'spaceId'>): string[] {
  const db = new DatabaseSync(pathOf(folder, spaceId), { readOnly: true, timeout: 30_000 });
  try {
    const rows = db.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok');
  } finally {
    db.close();
  }
}
