/** A disk that hangs or accepts no writes: the main thread continues, and errors name what hangs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../../src/errors.ts';
import { failureOf } from '../../../src/storage/sqlite/failure.ts';
import { pathOf } from '../../../src/storage/sqlite/folder.ts';
import { openScratch, taskScratch } from '../scratch.ts';
import { dataFolder } from '../stored.ts';

function busy(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ServiceError && error.reason === 'busy', String(error));
    assert.deepEqual([error.details.status, error.details.retryAfterSeconds], [503, 1]);
    assert.match(error.message, message);
    return true;
  };
}

test('while opening a file hangs, open ones are read, others are refused, and check names the disk', async (t) => {
  const { storage, scratch, tasks } = await taskScratch(t, { settings: { diskTimeMs: 1_000 } });
  await tasks.add([{ id: 'x' }]);
  for (const spaceId of [2, 3]) await storage.spaces.create(spaceId);
  assert.ok((await tasks.get('x')) !== null);
  // Opening a pipe for reading waits until it is opened for writing.
  const pipe = pathOf(dataFolder(scratch), 9);
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(storage.spaces.definition(9), busy(/disk has not answered for 1000 ms \(setting diskTimeMs\)/));
  assert.ok((await tasks.get('x')) !== null);
  await assert.rejects(storage.spaces.definition(2), busy(/disk has not answered/));
  await assert.rejects(storage.spaces.size(3), busy(/disk has not answered/));
  await assert.rejects(storage.check(), busy(/^The disk of the data folder failed: The disk has not answered/));
  closeSync(openSync(pipe, 'w'));
  rmSync(pipe);
  // Earlier requests are answered in order, so after this nothing hangs.
  for (;;) {
    try {
      await storage.spaces.definition(2);
      await storage.check();
      break;
    } catch (error) {
      busy(/has not answered/)(error);
      await turn();
    }
  }
  assert.ok((await storage.spaces.size(2)) > 0);
});

test('check names the part that does not answer in time', async (t) => {
  const { storage } = await openScratch(t);
  await assert.rejects(
    storage.check(0),
    busy(/^The disk of the data folder has not answered for 0 ms\. The database of the directory/),
  );
  await storage.check();
});

test('a full disk and an unwritable one are reported as busy, damage is not', () => {
  const of = (facts: object) => failureOf(Object.assign(new Error('said so'), facts), 'reading the file');
  const cases: [object, string, number | undefined][] = [
    [{ code: 'ENOSPC' }, 'The disk is full; try again when space is free.', 503],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, 'The disk is full; try again when space is free.', 503],
    ...[14, 8, 778, 4874, 4618, 5386].map((errcode): [object, string, number] => [
      { code: 'ERR_SQLITE_ERROR', errcode },
      'The database is busy at the moment; try again.',
      503,
    ]),
    [{ code: 'EROFS' }, 'The database is busy at the moment; try again.', 503],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 11 }, 'The database failed.', undefined],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 266 }, 'The database failed.', undefined],
    [{ code: 'ENOENT' }, 'The database failed.', undefined],
  ];
  for (const [facts, message, status] of cases) {
    const failure = of(facts);
    assert.deepEqual([failure.message, failure.status], [message, status], JSON.stringify(facts));
  }
});
