/** The counts of the service, and how counts of several periods and processes are combined: by sums and maxima. */
import { Durations } from '../durations.ts';

/** What is added up. */
const sums = ['answered', 'refused', 'failed'] as const;
/** Combined by maximum; null if unknown. */
const highest = ['memoryBytes', 'delayMs', 'writesWaiting', 'queriesWaiting', 'storageBytes'] as const;
const durations = ['answers', 'commits'] as const;

export type Counts = Record<(typeof sums)[number], number> &
  Record<(typeof highest)[number], number | null> &
  Readonly<Record<(typeof durations)[number], Durations>>;

export function noCounts(): Counts {
  return {
    ...{ answered: 0, refused: 0, failed: 0 },
    ...{ memoryBytes: null, delayMs: null, writesWaiting: null, queriesWaiting: null, storageBytes: null },
    ...{ answers: new Durations(), commits: new Durations() },
  };
}

export function addCounts(to: Counts, other: Counts): void {
  for (const name of sums) to[name] += other[name];
  for (const name of highest) {
    const value = other[name];
    if (value !== null) to[name] = Math.max(to[name] ?? value, value);
  }
  for (const name of durations) to[name].add(other[name]);
}

export function countsText(counts: Counts): string {
  const { answers, commits, ...plain } = counts;
  return JSON.stringify({ ...plain, answers: answers.counts, commits: commits.counts });
}

/** Counts written by another release may lack some. */
export function readCounts(text: string): Counts {
  const { answers = [], commits = [], ...plain } = JSON.parse(text);
  return { ...noCounts(), ...plain, answers: Durations.from(answers), commits: Durations.from(commits) };
}
