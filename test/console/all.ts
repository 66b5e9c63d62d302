/**
 * `npm run test:console`: the tests of the console that do not depend on an engine, with every row of their tables
 * (`rows.ts`).
 */
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';

const files = globSync(`${import.meta.dirname}/sqlite/*.test.ts`);
const env = { ...process.env, ROWHOUSE_TEST_CONSOLE: 'all' };
const run = spawn(process.execPath, ['--test', '--test-concurrency=1', ...files], { stdio: 'inherit', env });
run.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
