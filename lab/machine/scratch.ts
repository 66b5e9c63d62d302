/** Temporary, private storage on either engine, for tests and proofs. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { makeDatabase, type ScratchDatabase } from './scratch-database.ts';

export type Engine = 'sqlite' | 'postgres';

export interface Scratch {
  /** Settings for a service on it. */
  readonly settings: Pick<Settings, 'storage' | 'secretKey'>;
  /** The same as environment variables of a process. */
  readonly variables: Readonly<Record<string, string>>;
  /** A folder for files, empty at first. On SQLite the data are in a folder below it. */
  readonly folder: string;
  /** Everything stored, as bytes, or as text from a server: for finding content that must not be there. */
  contents(): Promise<string>;
  /** A copy with the same data; no service may be using this one. */
  copy(): Promise<Scratch>;
  remove(): Promise<void>;
}

/** Without a data folder there is no location for a key file. */
export const secretKey = '5e'.repeat(32);

/**
 * @param server only called on PostgreSQL
 * @param template address of a database of that server to copy, without connections; the storage is empty by default
 * @param locale of the database, as in `makeDatabase`
 */
export async function makeStorage(
  engine: Engine,
  server: () => Promise<string>,
  template?: string,
  locale?: string,
): Promise<Scratch> {
  if (engine === 'sqlite') return inFolder(mkdtempSync(join(tmpdir(), 'rowhouse-scratch-')));
  const url = await server();
  return inDatabase(url, await makeDatabase(url, template, locale));
}

function inFolder(folder: string): Scratch {
  const storage = `sqlite:${join(folder, 'data')}`;
  return {
    settings: { storage, secretKey: '' },
    variables: { ROWHOUSE_STORAGE: storage },
    folder,
    contents: async () => everyByteOf(folder),
    async copy() {
      const other = mkdtempSync(join(tmpdir(), 'rowhouse-scratch-'));
      cpSync(folder, other, { recursive: true });
      return inFolder(other);
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

function inDatabase(server: string, database: ScratchDatabase): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-scratch-'));
  const { url } = database;
  return {
    settings: { storage: url, secretKey },
    variables: { ROWHOUSE_STORAGE: url, ROWHOUSE_SECRET_KEY: secretKey },
    folder,
    contents: async () => (await database.contents()) + everyByteOf(folder),
    copy: async () => inDatabase(server, await makeDatabase(server, url)),
    async remove() {
      rmSync(folder, { recursive: true, force: true });
      await database.remove();
    },
  };
}

/** Runs the work with a scratch folder, and removes it afterwards. */
export async function inScratch<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-lab-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The content of every file below a folder, concatenated; each byte is one character. */
function everyByteOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
