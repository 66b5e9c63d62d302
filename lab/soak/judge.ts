/** The result of a soak: figures and faults. */
import { median } from '../machine/statistics.ts';
import type { Soaked, TimedSample } from './soak.ts';
import { type Trend, trendOf } from './trend.ts';

export interface Bounds {
  /** MB per hour that memory may grow; a slope counts as above it when its whole 95 % interval is. */
  readonly heapPerHour: number;
  readonly rssPerHour: number;
}

export const defaultBounds: Bounds = { heapPerHour: 4, rssPerHour: 24 };

export interface Verdict {
  /** MB per hour. */
  readonly heap: Trend;
  readonly rss: Trend;
  /** Only reported, because the threads' garbage is not collected before they are measured. */
  readonly threadsHeap: Trend;
  /** False when the time after the warm-up is too short for a meaningful slope. */
  readonly isSlopeJudged: boolean;
  readonly descriptors: { readonly before: number; readonly after: number; readonly most: number };
  /** Milliseconds. */
  readonly loopDelay: { readonly p99: number; readonly max: number };
  readonly failures: readonly string[];
  /** Slopes whose uncertainty exceeds their bound, so that they are neither within it nor above it. */
  readonly unproven: readonly string[];
}

const judgedFromMinutes = 10;
const megabyte = 1_000_000;
/** Replacement threads open files of their own now and then. */
const descriptorsGrowth = 24;

export function judge(soaked: Soaked, bounds: Bounds = defaultBounds): Verdict {
  const warm = soaked.samples.filter(({ at }) => at >= soaked.warmAt);
  if (warm.length < 3) throw new RangeError('The soak was too short: fewer than three samples after the warm-up.');
  const trend = (value: (sample: TimedSample) => number) =>
    trendOf(warm.map((sample) => ({ at: sample.at / 3_600, value: value(sample) / megabyte })));
  const heap = trend(({ heapUsed }) => heapUsed);
  const rss = trend((sample) => sample.rss);
  const threadsHeap = trend(({ threadsHeapUsed }) => threadsHeapUsed);
  const measuredMinutes = ((warm.at(-1) as TimedSample).at - (warm[0] as TimedSample).at) / 60;
  const isSlopeJudged = measuredMinutes >= judgedFromMinutes;
  const quarter = Math.max(1, Math.floor(warm.length / 4));
  const descriptors = {
    before: median(warm.slice(0, quarter).map((sample) => sample.descriptors)),
    after: median(warm.slice(-quarter).map((sample) => sample.descriptors)),
    most: Math.max(...warm.map((sample) => sample.descriptors)),
  };
  const last = warm.at(-1) as TimedSample;
  const failures = [
    ...(soaked.unexpectedCount > 0 ? [`${soaked.unexpectedCount} answers were not as they must be.`] : []),
    ...(soaked.faults.length > 0 ? [`${soaked.faults.length} errors were not handled or logged as faults.`] : []),
    ...(isSlopeJudged ? slopeFailure('heap', heap, bounds.heapPerHour) : []),
    ...(isSlopeJudged ? slopeFailure('memory', rss, bounds.rssPerHour) : []),
    ...(isSlopeJudged && descriptors.after > descriptors.before + descriptorsGrowth
      ? [`Open descriptors grew from ${descriptors.before} to ${descriptors.after}.`]
      : []),
  ];
  const unproven = [
    ...unprovenSlope('heap', heap, bounds.heapPerHour),
    ...unprovenSlope('memory', rss, bounds.rssPerHour),
  ];
  return {
    heap,
    rss,
    threadsHeap,
    isSlopeJudged,
    descriptors,
    loopDelay: { p99: last.loopDelayP99, max: last.loopDelayMax },
    failures,
    unproven: isSlopeJudged ? unproven : [],
  };
}

function slopeFailure(what: string, { perHour, uncertainty }: Trend, bound: number): string[] {
  if (!isAbove({ perHour, uncertainty }, bound)) return [];
  return [`The ${what} grows by ${perHour.toFixed(1)} ± ${uncertainty.toFixed(1)} MB/hour; ${bound} is the bound.`];
}

function unprovenSlope(what: string, { perHour, uncertainty }: Trend, bound: number): string[] {
  if (isAbove({ perHour, uncertainty }, bound) || uncertainty <= bound) return [];
  const slope = `${perHour.toFixed(1)} ± ${uncertainty.toFixed(1)} MB/hour`;
  return [
    `Whether the ${what} grows is not shown: ${slope} is too uncertain for the bound of ${bound}; soak for longer.`,
  ];
}

/** Whether the whole 95 % interval is above the bound. */
function isAbove({ perHour, uncertainty }: Pick<Trend, 'perHour' | 'uncertainty'>, bound: number): boolean {
  return perHour - uncertainty > bound;
}
