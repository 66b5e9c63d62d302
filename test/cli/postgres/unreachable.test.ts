/**
 * A start on a database that cannot be used: one sentence that names it and says what to do, and no process remains.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchOf } from '../../engines/scratch.ts';
import { bareVariables } from '../../harness/bare.ts';

const command = join(import.meta.dirname, '../../../src/cli/main.ts');

test('a database that cannot be used is named with the cause and what to do, and the process ends', async (t) => {
  const { settings, variables } = await scratchOf(t);
  const changed = (change: (url: URL) => void) => {
    const url = new URL(settings.storage);
    url.password = 'top-secret';
    change(url);
    return { storage: url.href, name: `storage: postgres://${url.host}${url.pathname} ` };
  };
  const cases = [
    { ...changed((url) => Object.assign(url, { host: '127.0.0.1:1' })), told: 'does not answer: ' },
    { ...changed((url) => Object.assign(url, { pathname: '/no_such' })), told: 'has no such database: ' },
    { ...changed((url) => Object.assign(url, { username: 'no_such' })), told: 'refuses to let this user in: ' },
  ];
  const started = cases.map(async ({ storage, name, told }) => {
    const env = { ...bareVariables, ...variables, ROWHOUSE_STORAGE: storage };
    const child = spawn(process.execPath, [command, 'serve', '--port', '0'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = once(child, 'exit');
    const error = (await child.stderr.toArray()).join('').trimEnd();
    assert.deepEqual(await exited, [1, null], error);
    assert.ok(error.startsWith(`rowhouse: ${name}${told}`), error);
    assert.match(error, /\. (Check|Create) [^\n]*\.$/);
    assert.doesNotMatch(error, /top-secret/);
  });
  await Promise.all(started);
});
