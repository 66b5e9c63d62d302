/** Storage for a test on the engine of the run: empty, its own, and gone afterwards. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Settings } from '../../src/config.ts';
import { makeDatabase } from './database.ts';
import { engine } from './engine.ts';

export interface Scratch {
  /** What makes a service work on it. */
  readonly settings: Pick<Settings, 'storage' | 'secretKey'>;
  /** The same for a process: variables of its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Empty at first. On SQLite the data come to lie in it. */
  readonly folder: string;
  /** Everything that is stored, byte for byte, or as text where a server keeps it: to look for what must not be there. */
  contents(): Promise<string>;
  remove(): Promise<void>;
}

/** Without a folder of data, there is no place for a key file. */
const secretKey = '5e'.repeat(32);

export async function makeScratch(): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (engine === 'sqlite') {
    const storage = `sqlite:${folder}`;
    return {
      settings: { storage, secretKey: '' },
      variables: { ROWHOUSE_STORAGE: storage },
      folder,
      contents: async () => everyByteOf(folder),
      remove: async () => removeFolder(),
    };
  }
  const database = await makeDatabase();
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

export interface TestScratch extends Scratch {
  /** Has this done before the storage is removed, the last one first: a test's own hooks run in the order they were set. */
  closeFirst(close: () => unknown): void;
}

/** One that is removed after the test. */
export async function scratchOf(test: TestContext): Promise<TestScratch> {
  const scratch = await makeScratch();
  const closing: (() => unknown)[] = [];
  test.after(async () => {
    try {
      for (const close of closing.reverse()) await close();
    } finally {
      await scratch.remove();
    }
  });
  return { ...scratch, closeFirst: (close) => void closing.push(close) };
}

/** An empty folder that is removed after the test, whatever the engine. */
export function folderOf(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file below a folder, one after the other; each byte is one character. */
function everyByteOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
