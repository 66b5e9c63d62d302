/** Storage on either engine, for whoever needs one that is empty and its own, and gone afterwards: tests and proofs. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { makeDatabase, type ScratchDatabase } from './scratch-database.ts';

export type Engine = 'sqlite' | 'postgres';

export interface Scratch {
  /** What makes a service work on it. */
  readonly settings: Pick<Settings, 'storage' | 'secretKey'>;
  /** The same for a process: variables of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Empty at first, for files. On SQLite the data come to lie in one below it. */
  readonly folder: string;
  /** Everything that is stored, byte for byte, or as text where a server keeps it: to look for what must not be there. */
  contents(): Promise<string>;
  /** Another one with the same data; no service may be at work on this one. */
  copy(): Promise<Scratch>;
  remove(): Promise<void>;
}

/** Without a folder of data, there is no place for a key file. */
export const secretKey = '5e'.repeat(32);

/**
 * @param server only asked on PostgreSQL
 * @param template address of a database of that server to copy, which nobody is connected to; without it the storage is empty
 */
export async function makeStorage(engine: Engine, server: () => Promise<string>, template?: string): Promise<Scratch> {
  if (engine === 'sqlite') return inFolder(mkdtempSync(join(tmpdir(), 'rowhouse-scratch-')));
  const url = await server();
  return inDatabase(url, await makeDatabase(url, template));
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

/** Every file below a folder, one after the other; each byte is one character. */
function everyByteOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
