/** The soak: it finds the faults that it must find, and one short run of the command. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { judge } from '../../lab/soak/judge.ts';
import type { Soaked, TimedSample } from '../../lab/soak/soak.ts';
import { trendOf } from '../../lab/soak/trend.ts';

const command = join(import.meta.dirname, '../../lab/soak/main.ts');
const megabyte = 1_000_000;

suite('a trend', () => {
  const hours = Array.from({ length: 50 }, (_, index) => index / 50);

  test('of a straight line is its slope, with certainty', () => {
    const { perHour, uncertainty } = trendOf(hours.map((at) => ({ at, value: 7 + 3 * at })));
    assert.ok(Math.abs(perHour - 3) < 1e-9 && uncertainty < 1e-9);
  });

  test('is less certain the more samples scatter, and the more neighbours correlate', () => {
    const scattered = (size: number) => hours.map((at, index) => ({ at, value: 3 * at + (index % 2 ? size : -size) }));
    const alike = hours.map((at, index) => ({ at, value: 3 * at + (index % 20 < 10 ? 1 : -1) }));
    const little = trendOf(scattered(0.1));
    const much = trendOf(scattered(1));
    assert.ok(much.uncertainty > 5 * little.uncertainty);
    assert.ok(trendOf(alike).uncertainty > 2 * much.uncertainty);
    assert.ok(Math.abs(much.perHour - 3) < much.uncertainty);
  });
});

suite('the verdict', () => {
  const hour = Array.from({ length: 121 }, (_, index) => index * 30);
  const soaked = (changes: Partial<Soaked>, sample: (at: number) => Partial<TimedSample> = () => ({})): Soaked => {
    const ordinary = {
      rss: 300 * megabyte,
      heapUsed: 30 * megabyte,
      external: 0,
      threadsHeapUsed: 0,
      descriptors: 150,
    };
    const samples = hour.map((at) => ({
      ...ordinary,
      loopDelayP99: 5,
      loopDelayMax: 20,
      faults: [],
      at,
      ...sample(at),
    }));
    const idle = samples[0] as TimedSample;
    const counts = { requests: 1, acknowledged: 1, restarts: 1, verified: 1, lostInRestarts: 0, unexpectedCount: 0 };
    const lists = { answers: {}, misbehaviour: {}, latencies: {}, unexpected: [], faults: [] };
    return { seconds: 3_600, warmAt: 600, ...counts, ...lists, samples, idle, ...changes };
  };
  const wobble = (at: number) => ((at / 30) % 3) * megabyte;

  test('is good for a stable service', () => {
    const verdict = judge(
      soaked({}, (at) => ({ rss: 300 * megabyte + wobble(at), heapUsed: 30 * megabyte + wobble(at) })),
    );
    assert.deepEqual([...verdict.failures, ...verdict.unproven], []);
    assert.equal(verdict.isSlopeJudged, true);
    assert.deepEqual(verdict.loopDelay, { p99: 5, max: 20 });
  });

  test('reports growing heap or memory, even below its scatter', () => {
    const heap = judge(soaked({}, (at) => ({ heapUsed: (30 + (at / 3_600) * 6) * megabyte + wobble(at) })));
    assert.match(heap.failures.join(), /The heap grows by 6\.\d ± 0\.\d MB\/hour; 4 is the bound/);
    const rss = judge(soaked({}, (at) => ({ rss: (300 + (at / 3_600) * 40) * megabyte + wobble(at) })));
    assert.match(rss.failures.join(), /The memory grows by/);
    assert.deepEqual([...heap.unproven, ...rss.unproven], []);
  });

  test('reports a slope whose uncertainty exceeds its bound as unproven', () => {
    const sawTooth = (at: number) => (300 + 150 * ((at / 900) % 1)) * megabyte;
    const { rss, failures, unproven } = judge(soaked({}, (at) => ({ rss: sawTooth(at) })));
    assert.ok(rss.uncertainty > 24 && rss.perHour - rss.uncertainty < 24, JSON.stringify(rss));
    assert.deepEqual(failures, []);
    assert.match(
      unproven.join('|'),
      /^Whether the memory grows is not shown: [\d.-]+ ± [\d.]+ MB\/hour is too uncertain/,
    );
  });

  test('ignores growth within the warm-up', () => {
    const verdict = judge(soaked({}, (at) => ({ heapUsed: Math.min(at, 600) * megabyte + wobble(at) })));
    assert.deepEqual(verdict.failures, []);
  });

  test('reports growing descriptors, faults and unexpected answers', () => {
    assert.match(judge(soaked({}, (at) => ({ descriptors: 150 + at / 60 }))).failures.join(), /descriptors grew from/);
    assert.match(judge(soaked({ faults: ['rejection'] })).failures.join(), /1 errors were not handled/);
    assert.match(judge(soaked({ unexpectedCount: 2 })).failures.join(), /2 answers were not as they must be/);
  });

  test('does not judge the slope of a short time', () => {
    const verdict = judge(soaked({ warmAt: 3_300 }, (at) => ({ heapUsed: at * megabyte })));
    assert.equal(verdict.isSlopeJudged, false);
    assert.deepEqual([...verdict.failures, ...verdict.unproven], []);
  });
});

test('a short run of the command, with a restart under load', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-soak-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const output = join(folder, 'soaked.json');
  const { status, told } = await run('--minutes', '0.1', '--restarts', '1', '--rate', '60', '--output', output);
  assert.equal(status, 0, told);
  const { soaked, verdict } = JSON.parse(readFileSync(output, 'utf8'));
  assert.deepEqual(verdict.failures, []);
  assert.equal(soaked.restarts, 2);
  assert.ok(soaked.requests > 100 && soaked.acknowledged > 10 && soaked.verified > 10, told);
  assert.match(told, /Event-loop delay: p99 [\d.]+ ms, max [\d.]+ ms/);
  assert.match(told, /are told and not judged/);
});

test('the command explains its flags, and invalid values', async () => {
  assert.match((await run('--help')).told, /npm run soak/);
  const wrong = await run('--minutes', 'long');
  assert.equal(wrong.status, 1);
  assert.match(wrong.told, /--minutes: expected a number above 0, got "long"/);
});

function run(...flags: string[]): Promise<{ status: number; told: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [command, ...flags], (error, output, errors) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, told: output + errors });
      else reject(error);
    });
  });
}
