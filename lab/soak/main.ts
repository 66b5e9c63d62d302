/**
 * `npm run soak`: runs the service for a long time under mixed load, with restarts, resets, slow clients and wrong
 * input. Exits with 1 when an answer was wrong, an error was not handled, descriptors grew, or memory grew faster than
 * its bound.
 */
import { writeFileSync } from 'node:fs';
import { endWith, path, positive, readFlags, seed, whole } from '../machine/command.ts';
import { inScratch } from '../machine/scratch.ts';
import { defaultBounds, judge, type Verdict } from './judge.ts';
import { type Soaked, soak } from './soak.ts';
import type { Trend } from './trend.ts';

const usage = `Usage: npm run soak -- [flags]
Mixed load on a service of its own, with restarts, resets, slow clients and wrong input.`;

const flags = readFlags(usage, {
  minutes: positive(30, 'how long'),
  rate: positive(120, 'requests per second in all'),
  clients: whole(24, 'how many clients', 1),
  restarts: whole(4, 'of the service, under load'),
  seed: seed(),
  'heap-bound': positive(defaultBounds.heapPerHour, 'MB per hour that the heap may grow after the warm-up'),
  'memory-bound': positive(defaultBounds.rssPerHour, 'the same of memory'),
  output: path('file', 'writes everything that was measured as JSON'),
});

const printedMax = 20;

await endWith(run);

async function run(): Promise<number> {
  const { minutes, rate, clients, restarts } = flags;
  const sizes = { minutes, rate, clients, restarts, seed: flags.seed };
  const bounds = { heapPerHour: flags['heap-bound'], rssPerHour: flags['memory-bound'] };
  console.log(`Seed ${sizes.seed}: ${sizes.clients} clients, ${sizes.rate} requests/s, ${sizes.minutes} minutes.`);
  return inScratch(async (folder) => {
    const soaked = await soak({ folder, ...sizes, progress: (text) => console.log(`  ${text}`) });
    const verdict = judge(soaked, bounds);
    console.log(describe(soaked, verdict));
    if (flags.output !== null) {
      writeFileSync(flags.output, `${JSON.stringify({ options: { ...sizes, bounds }, verdict, soaked }, null, 2)}\n`);
    }
    return verdict.failures.length === 0 ? 0 : 1;
  });
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
