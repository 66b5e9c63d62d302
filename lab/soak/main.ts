/**
 * `npm run soak`: the service for a long time under mixed load, with restarts, resets, slow clients and wrong input. Exits
 * with 1 when an answer was wrong, an error was not handled, descriptors grew, or memory grew faster than its bound.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultBounds, judge, type Verdict } from './judge.ts';
import { type Soaked, soak } from './soak.ts';
import type { Trend } from './trend.ts';

const usage = `npm run soak -- [--minutes 30] [--rate 120] [--clients 24] [--restarts 4] [--seed <number>]
                [--heap-bound ${defaultBounds.heapPerHour}] [--memory-bound ${defaultBounds.rssPerHour}] [--output <file>]
Mixed load on a service of its own for that many minutes; --rate is requests per second in all. The bounds are MB per hour
that heap and memory may grow after the warm-up. --output writes everything that was measured as JSON.`;

const printedMax = 20;

let code = 1;
try {
  code = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
// Everything was awaited and is told by now. A process with many threads and children behind it that is left to end by itself
// can wait for ever, within Node, for work that nobody does any more.
process.stdout.write('', () => process.exit(code));

async function run(): Promise<number> {
  const { values: flags } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '30' },
      rate: { type: 'string', default: '120' },
      clients: { type: 'string', default: '24' },
      restarts: { type: 'string', default: '4' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      'heap-bound': { type: 'string', default: String(defaultBounds.heapPerHour) },
      'memory-bound': { type: 'string', default: String(defaultBounds.rssPerHour) },
      output: { type: 'string' },
    },
  });
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const sizes = {
    minutes: positive('--minutes', flags.minutes),
    rate: positive('--rate', flags.rate),
    clients: Math.max(1, whole('--clients', flags.clients)),
    restarts: whole('--restarts', flags.restarts),
    seed: whole('--seed', flags.seed),
  };
  const bounds = {
    heapPerHour: positive('--heap-bound', flags['heap-bound']),
    rssPerHour: positive('--memory-bound', flags['memory-bound']),
  };
  console.log(`Seed ${sizes.seed}: ${sizes.clients} clients, ${sizes.rate} requests/s, ${sizes.minutes} minutes.`);
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-soak-'));
  try {
    const soaked = await soak({ folder, ...sizes, progress: (text) => console.log(`  ${text}`) });
    const verdict = judge(soaked, bounds);
    console.log(describe(soaked, verdict));
    if (flags.output !== undefined) {
      writeFileSync(flags.output, `${JSON.stringify({ options: { ...sizes, bounds }, verdict, soaked }, null, 2)}\n`);
    }
    return verdict.failures.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function whole(flag: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${flag}: ${JSON.stringify(text)} came; a whole number was expected.`);
}

function positive(flag: string, text: string): number {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`${flag}: ${JSON.stringify(text)} came; a number above 0 was expected.`);
}

function describe(soaked: Soaked, verdict: Verdict): string {
  const { seconds, requests, acknowledged, restarts, verified, lostInRestarts, faults, idle } = soaked;
  const { heap, rss, threadsHeap, descriptors, loopDelay, failures, unproven } = verdict;
  const slope = ({ perHour, uncertainty, samples }: Trend) =>
    `${perHour.toFixed(1)} ± ${uncertainty.toFixed(1)} MB/hour (95 %, ${samples} samples)`;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    `${requests} requests in ${Math.round(seconds)} s; ${acknowledged} batches acknowledged.`,
    `Restarts: ${restarts}; ${verified} records compared after the last one; ${lostInRestarts} requests without an answer.`,
    `Answers (status/errCode): ${listed(soaked.answers)}.`,
    `Misbehaving clients: ${listed(soaked.misbehaviour)}.`,
    ...Object.entries(soaked.latencies).map(
      ([operation, { p50, p99, max }]) =>
        `  ${operation.padEnd(14)} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, max ${max.toFixed(0)} ms`,
    ),
    `Heap after collection: ${slope(heap)}.`,
    `Heaps of the threads: ${slope(threadsHeap)}.`,
    `Memory (RSS): ${slope(rss)}.`,
    ...(verdict.isSlopeJudged
      ? []
      : ['The slopes, and the growth of descriptors, are told and not judged: less than ten minutes were measured.']),
    `Descriptors: ${descriptors.before} before, ${descriptors.after} after, ${descriptors.most} at most, ${idle.descriptors} idle.`,
    `Event-loop delay: p99 ${loopDelay.p99.toFixed(1)} ms, max ${loopDelay.max.toFixed(1)} ms.`,
    `Not handled: ${faults.length}. Not expected: ${soaked.unexpectedCount}.`,
    ...[...faults, ...soaked.unexpected].slice(0, printedMax),
    ...unproven,
    ...(failures.length > 0
      ? ['Failed:', ...failures]
      : [unproven.length > 0 ? 'Passed, but for what is not shown.' : 'Passed.']),
  ].join('\n');
}
