/**
 * How the service fares: what this process answered, how long it took, and how busy it was, minute by minute for an hour,
 * coarser for a day and a month. Kept in memory and bounded; it begins anew with the process.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const minuteMs = 60_000;

/** What is kept for each span: so many steps of so many minutes. */
const spans = {
  hour: { minutes: 1, steps: 60 },
  day: { minutes: 15, steps: 96 },
  month: { minutes: 360, steps: 124 },
} as const;
export type Span = keyof typeof spans;
const spanNames = Object.keys(spans) as Span[];

/** Durations are counted by their logarithm: step `n` holds those below `2^(n/2) / 32` milliseconds. */
const durationSteps = 48;
const stepOf = (ms: number) => Math.min(durationSteps - 1, Math.max(0, Math.ceil(2 * Math.log2(ms * 32))));
const upTo = (step: number) => 2 ** (step / 2) / 32;

interface Counts {
  /** When it began, in milliseconds. */
  time: number;
  answered: number;
  /** What was wrong about the request, or came at a time when the service was busy. */
  refused: number;
  /** Faults of ours, or of what the service depends on. */
  failed: number;
  durations: Uint32Array;
  /** At the end, in bytes. */
  memory: number;
  /** How long work waited for its turn on the main thread, at most, in milliseconds. */
  delayMs: number;
}

export interface StatisticsStep extends Omit<Counts, 'durations'> {
  /** Half, 95 and 99 of 100 answers took at most so long, in milliseconds; null where there were none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface Statistics {
  /** An answer that took so long, in milliseconds. */
  answered(ms: number): void;
  refused(): void;
  failed(): void;
  /** The finished steps, oldest first, and the one under way. */
  read(span: Span): readonly StatisticsStep[];
  stop(): void;
}

export function openStatistics(now: () => number): Statistics {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const kept: Readonly<Record<Span, Counts[]>> = { hour: [], day: [], month: [] };
  let current = begin(now());

  /** Ends the minute, and adds it to the coarser steps. */
  const roll = () => {
    current.memory = process.memoryUsage.rss();
    current.delayMs = delays.max / 1e6;
    delays.reset();
    for (const span of spanNames) add(kept[span], current, spans[span]);
    current = begin(now());
  };
  const timer = setInterval(roll, minuteMs).unref();
  return {
    answered(ms) {
      current.answered++;
      current.durations[stepOf(ms)]!++;
    },
    refused: () => void current.refused++,
    failed: () => void current.failed++,
    read(span) {
      const underWay = { ...current, memory: process.memoryUsage.rss(), delayMs: delays.max / 1e6 };
      const steps = kept[span].map((step) => ({ ...step, durations: step.durations.slice() }));
      add(steps, underWay, spans[span]);
      return steps.map(described);
    },
    stop() {
      clearInterval(timer);
      delays.disable();
    },
  };
}

function begin(time: number): Counts {
  return { time, answered: 0, refused: 0, failed: 0, durations: new Uint32Array(durationSteps), memory: 0, delayMs: 0 };
}

function add(kept: Counts[], minute: Counts, { minutes, steps }: (typeof spans)[Span]): void {
  const lengthMs = minutes * minuteMs;
  const time = Math.floor(minute.time / lengthMs) * lengthMs;
  let last = kept.at(-1);
  if (last?.time !== time) {
    last = begin(time);
    kept.push(last);
    if (kept.length > steps) kept.shift();
  }
  last.answered += minute.answered;
  last.refused += minute.refused;
  last.failed += minute.failed;
  last.memory = minute.memory;
  last.delayMs = Math.max(last.delayMs, minute.delayMs);
  for (let step = 0; step < durationSteps; step++) last.durations[step]! += minute.durations[step]!;
}

function described({ durations, ...counts }: Counts): StatisticsStep {
  const atMost = (share: number) => {
    if (counts.answered === 0) return null;
    let left = Math.ceil(counts.answered * share);
    const step = durations.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return upTo(step);
  };
  return { ...counts, p50Ms: atMost(0.5), p95Ms: atMost(0.95), p99Ms: atMost(0.99) };
}
