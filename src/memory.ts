/**
 * For small machines: if a process has less than 4 GiB of memory, the defaults of settings that determine its memory
 * use are reduced in proportion.
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
    'Memory for all processes of the instance; 0 means that of the machine or its container. Below 4 GiB the settings for memory use are smaller in proportion, unless they are given.',
  ),
  pageCacheBytes: whole(256 * mib, 'bytes', mib, tib, 'Total memory for cached pages of the data.'),
  residentBytesMax: limit(
    tib,
    'bytes',
    tib,
    'Resident memory of a process above which a large body or answer is temporarily refused, unless it is the only one of its network; below 4 GiB, four fifths of the memory.',
  ),
  functionBytesMax: limit(
    20 * mib,
    'bytes',
    512 * mib,
    'Text that functions of one query on SQLite keep until its next row; a query that keeps more runs in steps or is refused.',
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** Amount of memory for which the settings' defaults are made. */
const enoughBytes = 4 * 1024 * mib;

/** Lower limit of each, however little memory there is. */
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
  // Two, so that one company's large batch does not block all others.
  writerThreads: 2,
  readerThreads: 1,
} as const;

/** The rest is for one more large body or answer, and for small ones. */
const residentShare = 0.8;

type SizedName = keyof typeof leastOf;

const sizedNames = Object.keys(leastOf) as readonly SizedName[];

/** The defaults for a process with this much memory. */
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
 * Memory of this machine, or of the process's container (cgroup, version 1 or 2); less where `--max-old-space-size`
 * gives JavaScript less than its default, which is half of it.
 */
export function memoryOfMachine(): number {
  // Without a container this is 0, or more than any machine has.
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(constrained, totalmem(), getHeapStatistics().heap_size_limit * 2);
}

/** How long a measurement of the used memory stays valid: it takes some 10 µs. */
const lookEveryMs = 20;

/** Of this process. */
let measured = { at: Number.NEGATIVE_INFINITY, residentBytes: 0 };

/** Whether the process uses more memory than `residentBytesMax`. */
export function isMemoryShort(residentBytesMax: number): boolean {
  const at = performance.now();
  if (at - measured.at >= lookEveryMs) measured = { at, residentBytes: process.memoryUsage.rss() };
  return measured.residentBytes > residentBytesMax;
}

export function memoryShortage(residentBytesMax: number): string {
  return `Too little memory is free: the process uses more than ${residentBytesMax} bytes (setting residentBytesMax).`;
}
