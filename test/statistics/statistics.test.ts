/**
 * The statistics of the service: stored in its database within bounds, added up over processes, with figures from the
 * storage.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { minuteMs } from '../../src/setting.ts';
import { openStatistics } from '../../src/statistics/statistics.ts';
import { clockAt, openScratch, taskScratch } from '../storage/scratch.ts';

/** The start of an hour, and of a step of the month span. */
const start = Date.UTC(2027, 0, 15, 6);

async function opened(t: TestContext, settings = {}) {
  const clock = clockAt(start);
  const { storage, settings: all } = await openScratch(t, { clock, settings });
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  /** The statistics of a starting process. */
  const begin = () => openStatistics({ storage, settings: all, environment: clock, log });
  const rows = async () => {
    const found = await storage.logs.read(storage.logs.build.selectFrom('service_step').selectAll());
    return [1, 15, 360].map((minutes) => found.filter((row) => row.minutes === minutes).length);
  };
  return { storage, clock, logged, begin, rows };
}

test('a restart loses nothing, and counts of several processes are added up', async (t) => {
  const { clock, begin, logged } = await opened(t);
  const first = begin();
  for (let count = 0; count < 3; count++) first.answered(1);
  clock.time += minuteMs;
  await first.write();
  first.answered(100);
  first.refused();
  await first.close();
  const [second, third] = [begin(), begin()];
  third.failed();
  await third.write();
  third.answered(1);
  await third.write();
  second.answered(1);
  const steps = await second.read('hour');
  assert.deepEqual(
    steps.map(({ time, counts: { answered, refused, failed } }) => [
      (time - start) / minuteMs,
      answered,
      refused,
      failed,
    ]),
    [
      [0, 3, 0, 0],
      [1, 3, 1, 1],
    ],
  );
  const [, { counts } = {}] = steps;
  assert.deepEqual([counts?.answers.atMost(0.5), counts?.answers.atMost(0.99)], [1, 128]);
  assert.ok((counts?.memoryBytes ?? 0) > 2 ** 20);
  for (const span of ['day', 'month'] as const) {
    const [step, ...others] = await third.read(span);
    // The second process has not stored its answer yet.
    assert.deepEqual([step?.time, step?.counts.answered, others.length], [start, 5, 0], span);
  }
  third.answered(1);
  const [[beside]] = await Promise.all([third.read('month'), third.write()]);
  assert.equal(beside?.counts.answered, 6, 'a write beside it counts nothing twice');
  await Promise.all([second.close(), third.close()]);
  assert.equal((await begin().read('month'))[0]?.counts.answered, 7);
  assert.deepEqual(logged, []);
});

test('each span has its steps and no more, however long the service runs', async (t) => {
  const { clock, begin, rows } = await opened(t);
  const statistics = begin();
  t.after(() => statistics.close());
  const hour = 60 * minuteMs;
  for (const [steps, stepMs] of [
    [130, 6 * hour],
    [110, hour / 4],
    [70, minuteMs],
  ] as const) {
    for (let step = 0; step < steps; step++) {
      statistics.answered(1);
      await statistics.write();
      clock.time += stepMs;
    }
  }
  for (const [span, steps, lengthMs] of [
    ['hour', 59, minuteMs],
    ['day', 95, 15 * minuteMs],
    ['month', 123, 6 * hour],
  ] as const) {
    const found = await statistics.read(span);
    const now = Math.floor(clock.time / lengthMs) * lengthMs;
    assert.ok(found.length >= steps && found.length <= steps + 1, `${span}: ${found.length}`);
    assert.equal(found[0]?.time, now - (found.length - (found.at(-1)?.time === now ? 1 : 0)) * lengthMs, span);
  }
  // Old rows are deleted once an hour.
  const [minutes = 0, quarters = 0, months = 0] = await rows();
  assert.ok(minutes <= 120 && quarters <= 100 && months <= 125, `${minutes} ${quarters} ${months}`);
});

test('for repeatedly starting processes no more rows are kept than the setting allows', async (t) => {
  const { clock, begin, rows } = await opened(t, { statisticsRowsMax: 5 });
  for (let start = 0; start < 12; start++) {
    await begin().close();
    clock.time += minuteMs;
  }
  const statistics = begin();
  await statistics.write();
  // Besides the remaining rows, a process has its own.
  for (const kept of await rows()) assert.ok(kept >= 1 && kept <= 6, String(kept));
  assert.equal((await statistics.read('hour')).length, 6);
  await statistics.close();
});

test('counts that cannot be written are written with the next ones', async (t) => {
  const { storage, clock, begin, logged } = await opened(t);
  const { schema } = storage.logs.build;
  const statistics = begin();
  await storage.logs.write([schema.alterTable('service_step').renameTo('service_step_away')]);
  statistics.answered(1);
  clock.time += minuteMs;
  await statistics.write();
  assert.equal(logged.length, 1);
  assert.match(logged[0] as string, /statistics of the service could not be stored/);
  await storage.logs.write([schema.alterTable('service_step_away').renameTo('service_step')]);
  statistics.answered(1);
  await statistics.close();
  const read = begin();
  assert.deepEqual(
    (await read.read('hour')).map(({ counts }) => counts.answered),
    [1, 1],
  );
  await read.close();
});

test('the storage reports its commits, its queues and its size', async (t) => {
  const clock = clockAt(start);
  const { storage, settings, tasks } = await taskScratch(t, { clock });
  const statistics = openStatistics({ storage, settings, environment: clock, log: pino({ level: 'silent' }) });
  await Promise.all(Array.from({ length: 40 }, () => tasks.add([{}])));
  await statistics.measure();
  const [step] = await statistics.read('hour');
  const { commits, writesWaiting, queriesWaiting, storageBytes } = step?.counts ?? assert.fail();
  const made = commits.counts.reduce((sum, count) => sum + count, 0);
  assert.ok(made >= 1 && made <= 41, `${made} commits`);
  assert.ok((commits.atMost(0.99) ?? 0) > 0);
  assert.ok((writesWaiting ?? 0) >= 1 && (writesWaiting ?? 0) < 40, `${writesWaiting} writes waited`);
  assert.equal(queriesWaiting, 0);
  assert.ok((storageBytes ?? 0) > 10_000, `${storageBytes} bytes`);
  const none = storage.takeActivity();
  assert.deepEqual([none.commits.atMost(1), none.writesWaiting, none.queriesWaiting], [null, 0, 0]);
  await statistics.close();
});
