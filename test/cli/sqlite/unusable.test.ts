/**
 * A start on a folder that cannot be used: one sentence that names it, the cause and what to do, and no process
 * remains.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { run } from '../../../src/cli/run.ts';
import { unusable } from '../../../src/storage/sqlite/failure.ts';
import { folderOf } from '../../engines/scratch.ts';
import { bareVariables } from '../../harness/bare.ts';

const command = join(import.meta.dirname, '../../../src/cli/main.ts');

/** @param blocks limit on a file in blocks of 512 bytes, as on an almost full disk; null for no limit */
async function serve(t: TestContext, folder: string, blocks: number | null) {
  const words = [process.execPath, command, 'serve', '--port', '0', '--storage', `sqlite:${folder}`];
  const limit = blocks === null ? '' : `ulimit -f ${blocks}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...words], {
    env: bareVariables,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  const error = (await child.stderr.toArray()).join('').trimEnd();
  const [status] = await exited;
  return { status, error };
}

test('a folder that cannot be used is named with the cause and what to do, and the process ends', async (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const there = join(folder, 'there');
  const commandProcess = { variables: {}, isTerminal: false, out: () => {}, error: () => {} };
  const made = await run(['company', 'add', '--name', 'Acme', '--storage', `sqlite:${there}`], commandProcess);
  assert.equal(made, 0);
  // With a log of this length, the server below cannot record the owner of the folder.
  const directory = new DatabaseSync(join(there, 'directory.db'));
  t.after(() => directory.close());
  directory.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE filler (content BLOB)');
  directory.exec('INSERT INTO filler VALUES (zeroblob(40000)); DROP TABLE filler');
  const inTheWay = 'cannot be used: there is a file where a folder is needed. Name a folder with --storage.';
  const cases = [
    { folder: file, blocks: null, told: inTheWay },
    { folder: join(file, 'below'), blocks: null, told: inTheWay },
    { folder: join(folder, 'clean'), blocks: 0, told: '/directory.db cannot be used: disk I/O error' },
    { folder: there, blocks: 65, told: '/directory.db cannot be used: disk I/O error' },
    ...(process.platform === 'linux'
      ? [{ folder: '/proc/x', blocks: null, told: 'cannot be used: no folder can be made there.' }]
      : []),
  ];
  await Promise.all(
    cases.map(async ({ folder: asked, blocks, told }) => {
      const { status, error } = await serve(t, asked, blocks);
      assert.equal(status, 1, `${asked}: ${error}`);
      assert.equal(error.split('\n').length, 1, error);
      assert.ok(error.startsWith(`rowhouse: storage: ${asked}`) && error.includes(told), error);
    }),
  );
});

test('errors of the system and of SQLite are reported as a cause and a remedy', () => {
  const told = (codes: object) => unusable('/data', Object.assign(new Error('said by the system'), codes)).message;
  assert.match(told({ code: 'EACCES' }), /^storage: \/data cannot be used: this user may not read and write there\./);
  assert.match(told({ code: 'EROFS' }), /: the file system takes no changes\./);
  assert.match(told({ errcode: 8 }), /: the file system takes no changes\./);
  assert.match(told({ code: 'ENOSPC' }), /: the disk is full\./);
  assert.match(told({ errcode: 13 }), /: the disk is full\./);
  assert.match(told({ errcode: 10 }), /^storage: \/data cannot be used: said by the system$/);
  assert.equal(told({}), '/data: said by the system');
});
