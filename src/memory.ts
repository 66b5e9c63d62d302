/**
 * Small machines: where a process has less than 4 GiB of memory, the settings that decide how much it takes are smaller in
 * proportion, unless they are given.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { limit, type Setting, whole } from './setting.ts';

const mib = 1024 * 1024;
const tib = 1024 * 1024 * mib;

export const memorySettings = {
  memoryBytes: whole(
    0,
    'bytes',
    0,
    tib,
    'Memory that all processes of the instance have; 0 is what the machine or its container has. Below 4 GiB the settings that decide how much is taken are smaller in proportion, unless they are given.',
  ),
  pageCacheBytes: whole(256 * mib, 'bytes', mib, tib, 'Memory for pages of the data, in all.'),
  residentBytesMax: limit(
    tib,
    'bytes',
    tib,
    'Memory that a process has in use (its resident set) from which on a large body or a large answer is refused for the moment, unless it is the only one of its network; on less than 4 GiB four fifths of what there is.',
  ),
  functionBytesMax: limit(
    20 * mib,
    'bytes',
    512 * mib,
    'Text that functions of one query on SQLite keep until its next row; a query that needs more runs in steps or is refused.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** The defaults of the settings are for so much. */
const enoughBytes = 4 * 1024 * mib;

/** What each of them is at least, however little memory there is. */
const leastOf = {
  pageCacheBytes: 8 * mib,
  bodiesBytesMax: 8 * mib,
  parsedBodiesBytesMax: 16 * mib,
  answersBytesMax: 8 * mib,
  resultBytesMax: 4 * mib,
  functionBytesMax: 8 * mib,
  shapesMax: 20,
  writesQueuedMax: 100,
  readsQueuedMax: 50,
  sessionCacheMax: 1_000,
  openFilesMax: 100,
  // So that the large batch of one company does not hold up all others.
  writerThreads: 2,
  readerThreads: 1,
} as const;

/** What remains is for what one large body or answer more takes, and for all that is small. */
const residentShare = 0.8;

type SizedName = keyof typeof leastOf;

const sizedNames = Object.keys(leastOf) as readonly SizedName[];

/** The defaults for a process that has so much memory. */
export function sizedDefaults(defaults: Readonly<Record<SizedName, number>>, memoryBytes: number) {
  if (memoryBytes >= enoughBytes) return {};
  const share = memoryBytes / enoughBytes;
  const sized = sizedNames.map((name): [string, number] => [
    name,
    Math.min(defaults[name], Math.max(leastOf[name], Math.floor(defaults[name] * share))),
  ]);
  return { ...Object.fromEntries(sized), residentBytesMax: Math.floor(memoryBytes * residentShare) };
}

/**
 * What this machine has, or the container (cgroup, version 1 or 2) that the process runs in; less where the heap of JavaScript
 * was given less than the half of it that it has by itself (`--max-old-space-size`).
 */
export function memoryOfMachine(): number {
  // Without a container this is 0, or more than any machine has.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(constrained, totalmem(), getHeapStatistics().heap_size_limit * 2);
}

/** How long what the process has in use is taken to stay the same: asking the system takes some 10 µs. */
const lookEveryMs = 20;

/** Tells whether the process has more memory in use than `residentBytesMax`. */
export function memoryWatch(residentBytesMax: number): () => boolean {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let isShort = false;
  return () => {
    const now = performance.now();
    if (now - lookedAt < lookEveryMs) return isShort;
    lookedAt = now;
    isShort = process.memoryUsage.rss() > residentBytesMax;
    return isShort;
  };
}

export function memoryIsShort(residentBytesMax: number): string {
  return `Other requests leave no memory: the process has more than ${residentBytesMax} bytes in use (setting residentBytesMax).`;
}
