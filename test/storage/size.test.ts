/** The size of a data space: it grows at least by the data written, and does not include others. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { column, defineTables, openScratch, tableOf, tasksIn, taskTable } from './scratch.ts';

const kib = 1024;

test('the size of a data space follows its content', async (t) => {
  const { storage } = await openScratch(t);
  const { spaces } = storage;
  for (const spaceId of [1, 2]) {
    await spaces.create(spaceId);
    await defineTables(storage, spaceId, [taskTable]);
  }
  const [empty, other] = [await spaces.size(1), await spaces.size(2)];
  assert.ok(empty > 0 && empty < 2_048 * kib, `${empty} bytes`);
  assert.equal(empty, other);
  const tasks = await tasksIn(storage, 1);
  // 100 incompressible characters in each title.
  const title = () => randomBytes(75).toString('base64');
  const written = await tasks.add(Array.from({ length: 5_000 }, () => ({ title: title() })));
  assert.equal(written.kind, 'done');
  const full = await spaces.size(1);
  assert.ok(full - empty > 500_000 && full - empty < 20_000_000, `${full - empty} bytes more`);
  assert.equal(await spaces.size(2), other);
  const [counted, ...rest] = await spaces.sizes(1, [taskTable.name, 'Nowhere']);
  assert.deepEqual(rest, []);
  assert.equal(counted?.rows, 5_000);
  assert.ok(Math.abs(Math.log2((counted?.bytes ?? 0) / (full - empty))) < 1, `${counted?.bytes} of ${full - empty}`);
  await tasks.add(Array.from({ length: 5_100 }, () => ({ title: title() })));
  const [many] = await spaces.sizes(1, [taskTable.name]);
  // PostgreSQL has not analyzed the table yet, and guesses the length of its records.
  assert.ok(Math.abs(Math.log2((many?.rows ?? 0) / 10_100)) < 2, `${many?.rows} rows`);
  assert.deepEqual(
    (await spaces.sizes(2, [taskTable.name])).map(({ rows }) => rows),
    [0],
  );
  await defineTables(storage, 1, [tableOf('Another', [column('a', { kind: 'text' })])]);
  assert.ok((await spaces.size(1)) > full);
});
