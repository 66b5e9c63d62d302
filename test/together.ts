/**
 * Runs the named files of tests (paths below `test/`) in this process, one after the other, each as a suite of its name:
 * loading the program and warming it up costs more than the tests of most files. `run.ts` says which go together.
 */

import { join } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cpuUs } from '../lab/machine/usage.ts';
import { engine } from './engines/engine.ts';

/** What a file took of the processors, its child processes included: sent to `run.ts` when its tests have ended. */
export interface FileCost {
  readonly file: string;
  readonly cpuUs: number;
}

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
 * Resolves when the file's tests and hooks have ended. The next file must not be loaded before: what it registers could become
 * part of this one's suite, or of none, and its hooks those of all files.
 */
async function runFile(file: string): Promise<void> {
  const address = pathToFileURL(join(import.meta.dirname, file)).href;
  const ended = Promise.withResolvers<void>();
  suite(`${file}${engineNames[engine]}`, async () => {
    try {
      await import(address);
      after(() => ended.resolve());
    } catch (error) {
      ended.resolve();
      throw error;
    }
  });
  await ended.promise;
}
