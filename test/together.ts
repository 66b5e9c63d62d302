/**
 * Runs the named files of tests (paths below `test/`) in this process, one after the other, each as a suite of its
 * name, because loading and warming up the program costs more than most files' tests. `run.ts` decides which files
 * share a process.
 */

import asyncHooks, { type AsyncHook, AsyncResource } from 'node:async_hooks';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuUs } from '../lab/machine/usage.ts';
import { engine } from './engines/engine.ts';

/** Processor time of a file, including its child processes; sent to `run.ts` when its tests have ended. */
export interface FileCost {
  readonly file: string;
  readonly cpuUs: number;
}

/**
 * `node:test` has a hook called for every promise, by which it finds the suite that a test belongs to, and the test that an
 * uncaught error came from. It takes up to a fifth of the processor time of a run, so here it works only while a file is loaded;
 * an uncaught error still fails the run, but names no test.
 */
const tracking: AsyncHook[] = [];
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks);
  tracking.push(hook);
  return hook;
};
const { after, suite } = await import('node:test');
asyncHooks.createHook = createHook;
/** In this scope, a new suite belongs to none. */
const outside = new AsyncResource('files');

const locale = process.env.ROWHOUSE_TEST_DATABASE_LOCALE;
const postgres = locale === undefined ? ' on PostgreSQL' : ` on PostgreSQL, locale ${locale}`;
const engineNames = { sqlite: '', postgres };

let cpuUsBefore = 0;
for (const file of process.argv.slice(2)) {
  await runFile(file);
  const cpuUsNow = cpuUs(process.pid, 'with children');
  process.send?.({ file, cpuUs: cpuUsNow - cpuUsBefore } satisfies FileCost);
  cpuUsBefore = cpuUsNow;
}

/**
 * Resolves when the file's tests and hooks have ended. The next file must not be loaded before: its tests could become
 * part of this suite or of none, and its hooks could apply to all files.
 */
async function runFile(file: string): Promise<void> {
  const address = pathToFileURL(join(import.meta.dirname, file)).href;
  const ended = Promise.withResolvers<void>();
  for (const hook of tracking) hook.enable();
  outside.runInAsyncScope(suite, null, `${file}${engineNames[engine]}`, async () => {
    try {
      await import(address);
      after(() => ended.resolve());
    } catch (error) {
      ended.resolve();
      throw error;
    } finally {
      for (const hook of tracking) hook.disable();
    }
  });
  await ended.promise;
}
