/** What the statistics count, step by step. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { openStatistics } from '../../src/http/statistics.ts';

const minuteMs = 60_000;
/** A whole hour. */
const start = 1_800_000_000_000;

test('minutes become the steps of an hour, a day and a month, and no span grows without bound', (t) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: start });
  t.after(() => mock.timers.reset());
  const statistics = openStatistics(Date.now);
  t.after(() => statistics.stop());
  const minutes = 40 * 24 * 60;
  for (let minute = 0; minute < minutes; minute++) {
    statistics.answered(1);
    if (minute % 2 === 0) statistics.refused();
    if (minute % 15 === 0) statistics.failed();
    mock.timers.tick(minuteMs);
  }
  const hour = statistics.read('hour');
  assert.equal(hour.length, 60);
  assert.deepEqual(
    hour.slice(0, 2).map(({ time }) => time),
    [start + (minutes - 59) * minuteMs, start + (minutes - 58) * minuteMs],
  );
  assert.equal(
    hour.reduce((sum, { answered }) => sum + answered, 0),
    59,
    'the step under way is empty',
  );
  const day = statistics.read('day').slice(1, -1);
  assert.equal(day.length, 94);
  for (const { answered, refused, failed, memory } of day) {
    assert.deepEqual([answered, failed, memory > 0], [15, 1, true]);
    assert.ok(refused === 7 || refused === 8);
  }
  const month = statistics.read('month');
  assert.equal(month.length, 124);
  assert.equal(month[1]?.answered, 360);
});

test('half of the answers took at most the median, and 99 of 100 the highest share', (t) => {
  const statistics = openStatistics(() => start);
  t.after(() => statistics.stop());
  assert.deepEqual(
    statistics.read('hour').map(({ p50Ms, p99Ms }) => [p50Ms, p99Ms]),
    [[null, null]],
  );
  for (let count = 0; count < 98; count++) statistics.answered(1);
  for (let count = 0; count < 2; count++) statistics.answered(100);
  const [step] = statistics.read('hour');
  const { p50Ms, p95Ms, p99Ms } = step as { p50Ms: number; p95Ms: number; p99Ms: number };
  for (const median of [p50Ms, p95Ms]) assert.ok(median >= 1 && median < 1.5, String(median));
  assert.ok(p99Ms >= 100 && p99Ms < 150, String(p99Ms));
});
