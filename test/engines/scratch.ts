/** Storage for a test on the engine of the run: empty, private and temporary. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { makeStorage, type Scratch } from '../../lab/machine/scratch.ts';
import { engine } from './engine.ts';
import { serverUrl } from './server.ts';

export type { Scratch } from '../../lab/machine/scratch.ts';

/** For services in tests that are not about threads, because starting a thread takes about 50 ms of processor time. */
export const fewThreads = { writerThreads: 2, readerThreads: 1 };

export function makeScratch(): Promise<Scratch> {
  return makeStorage(engine, serverUrl);
}

/**
 * Also an empty one, but on PostgreSQL it has the layout of an installation if the run has one to copy (`layout.ts`).
 * For tests that are not about the first start.
 */
export function makeLaidOut(): Promise<Scratch> {
  return makeStorage(engine, serverUrl, process.env.ROWHOUSE_TEST_LAYOUT);
}

export interface TestScratch extends Scratch {
  /**
   * Runs this before the storage is removed, the last registered one first, because a test's own hooks run in the order
   * of registration.
   */
  closeFirst(close: () => unknown): void;
}

/** Storage that is removed after the test. */
export function scratchOf(test: TestContext): Promise<TestScratch> {
  return removedAfter(test, makeScratch());
}

/** As `makeLaidOut`, removed after the test. */
export function laidOutFor(test: TestContext): Promise<TestScratch> {
  return removedAfter(test, makeLaidOut());
}

async function removedAfter(test: TestContext, made: Promise<Scratch>): Promise<TestScratch> {
  const scratch = await made;
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
