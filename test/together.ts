/**
 * Runs the named files of tests (paths below `test/`) in this process, one after the other, each as a suite of its name:
 * loading the program and warming it up costs more than the tests of most files. `run.ts` says which go together.
 */

import { join } from 'node:path';
import { suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { engine } from './engines/engine.ts';

const locale = process.env.ROWHOUSE_TEST_DATABASE_LOCALE;
const postgres = locale === undefined ? ' on PostgreSQL' : ` on PostgreSQL, locale ${locale}`;
const engineNames = { sqlite: '', postgres };

// One after the other: a module that waits for one that another file is loading would go on in that file's suite.
let loaded: Promise<unknown> = Promise.resolve();
for (const file of process.argv.slice(2)) {
  const address = pathToFileURL(join(import.meta.dirname, file)).href;
  suite(`${file}${engineNames[engine]}`, async () => {
    loaded = loaded.then(() => import(address));
    await loaded;
  });
}
