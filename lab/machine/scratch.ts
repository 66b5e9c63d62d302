/** Storage on either engine, for whoever needs one that is empty and its own, and gone afterwards: tests, proofs, acceptance. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../src/config.ts';
import { makeDatabase } from './scratch-database.ts';

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
  remove(): Promise<void>;
}

/** Without a folder of data, there is no place for a key file. */
const secretKey = '5e'.repeat(32);

/** @param server only asked on PostgreSQL */
export async function makeStorage(engine: Engine, server: () => Promise<string>): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-scratch-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (engine === 'sqlite') {
    const storage = `sqlite:${join(folder, 'data')}`;
    return {
      settings: { storage, secretKey: '' },
      variables: { ROWHOUSE_STORAGE: storage },
      folder,
      contents: async () => everyByteOf(folder),
      remove: async () => removeFolder(),
    };
  }
  const database = await makeDatabase(await server());
  return {
    settings: { storage: database.url, secretKey },
    variables: { ROWHOUSE_STORAGE: database.url, ROWHOUSE_SECRET_KEY: secretKey },
    folder,
    contents: async () => (await database.contents()) + everyByteOf(folder),
    async remove() {
      removeFolder();
      await database.remove();
    },
  };
}

/** Every file below a folder, one after the other; each byte is one character. */
function everyByteOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
