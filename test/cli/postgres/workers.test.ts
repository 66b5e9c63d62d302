/** `rowhouse serve --workers n`: several processes on one port, as a process manager sees them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { scratchOf, type TestScratch } from '../../engines/scratch.ts';
import { bareVariables } from '../../harness/bare.ts';

const command = join(import.meta.dirname, '../../../src/cli/main.ts');

function serve({ variables, folder, closeFirst }: TestScratch, ...words: string[]) {
  const env = { ...bareVariables, ...variables };
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
  });
  const closed = once(child, 'close');
  closeFirst(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const entries: Record<string, unknown>[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => void entries.push(JSON.parse(line)));
  createInterface({ input: child.stderr }).on('line', (line) => void errors.push(line));
  /** The entries of the log with this message, as soon as there are this many. */
  async function logged(message: RegExp, count: number): Promise<Record<string, unknown>[]> {
    for (;;) {
      const found = entries.filter(({ msg }) => message.test(String(msg)));
      if (found.length >= count) return found;
      assert.equal(
        child.exitCode ?? child.signalCode,
        null,
        `It ended: ${errors.join('\n')} ${JSON.stringify(entries)}`,
      );
      await Promise.race([once(child.stdout, 'data'), closed]);
    }
  }
  return { child, closed, entries, errors, logged };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const ready = async (url: unknown) =>
  (await fetch(`${url}/readyz`, { headers: { connection: 'close' } })).status === 200;

test('workers share a port and the work of the start, one that dies is replaced, and all stop together', async (t) => {
  const { child, closed, entries, errors, logged } = serve(await scratchOf(t), '--workers', '2', '--demo', '--json');
  const [{ url }] = (await logged(/^Listening\.$/, 1)) as [Record<string, unknown>];
  const first = (await logged(/^A worker answers\.$/, 2)).map((entry) => Number(entry.process));
  assert.equal(new Set(first).size, 2);
  assert.ok(await ready(url));
  assert.equal(errors.filter((line) => line.includes('/admin/set-up#')).length, 1, 'one link for all workers');

  process.kill(first[0] as number, 'SIGKILL');
  const [again] = await logged(/^A worker is restarted\. It ended \(signal SIGKILL\)\.$/, 1);
  assert.equal(again?.level, 50);
  // Meanwhile the other one answers.
  assert.ok(await ready(url));
  const all = (await logged(/^A worker answers\.$/, 3)).map((entry) => Number(entry.process));
  assert.equal(new Set(all).size, 3);
  assert.ok(await ready(url));
  assert.equal(isAlive(all[0] as number), false);

  const busy = fetch(`${url}/readyz`);
  child.kill('SIGTERM');
  child.kill('SIGTERM');
  await busy.catch(() => {});
  await closed;
  assert.equal(child.exitCode, 0, errors.join('\n'));
  for (const pid of all) assert.equal(isAlive(pid), false);
  assert.equal(entries.filter(({ msg }) => msg === 'Listening.').length, 1);
  assert.equal(entries.filter(({ msg }) => msg === 'Stopped.').length, 1);
});

test('no worker outlives a killed primary', async (t) => {
  const { child, closed, logged } = serve(await scratchOf(t), '--workers', '2');
  const [{ url }] = (await logged(/^Listening\.$/, 1)) as [Record<string, unknown>];
  child.kill('SIGKILL');
  // Its output ends when the last process that shares it has ended.
  await closed;
  await assert.rejects(ready(url));
});

test('several workers on a folder of SQLite are refused, and so is a start that fails in every worker', async (t) => {
  const scratch = await scratchOf(t);
  const refused = serve(scratch, '--workers', '2', '--storage', `sqlite:${scratch.folder}/data`);
  await refused.closed;
  assert.equal(refused.child.exitCode, 1);
  assert.match(
    refused.errors.join('\n'),
    /^rowhouse: workers: expected 1, got 2\. A folder of SQLite is served by one process/,
  );

  const keyless = { ...scratch, variables: { ROWHOUSE_STORAGE: scratch.settings.storage } };
  const failed = serve(keyless, '--workers', '2');
  await failed.closed;
  assert.equal(failed.child.exitCode, 1);
  assert.match(failed.errors.join('\n'), /^rowhouse: secretKey: with data on PostgreSQL it has to be set\./);
});
