/**
 * The priority of a query thread. A long query lowers it, so that on a busy machine single records, commits and short
 * queries run first, and a heavy query slows down hardly anything but itself.
 */
import { getPriority, setPriority } from 'node:os';

/** As in `nice`. */
const niceness = 15;

/** Processor time since a query was found to be long, in milliseconds. Wall time would count short queries on a busy machine. */
const heavyMs = 30;

/** Short enough not to delay the query noticeably, long enough to give the core to a waiting thread. Milliseconds. */
const yieldMs = 0.02;

/** Never notified; used only to sleep. */
const never = new Int32Array(new SharedArrayBuffer(4));

export interface Priority {
  /**
   * Yields the core for a moment. Once the query has used `heavyMs` of processor time, lowers the priority of this
   * thread until `restorePriority`.
   */
  lowerPriority(): void;
  restorePriority(): void;
}

/**
 * Must be called in the thread itself. On Linux, each thread has its own priority, and only a process that may raise it
 * (root or CAP_SYS_NICE) can restore it. Elsewhere, or without that right, the thread only yields.
 */
export function threadPriority(): Priority {
  if (!canRestorePriority()) return { lowerPriority: yieldToOthers, restorePriority() {} };
  let begun: NodeJS.CpuUsage | null = null;
  let isLowered = false;
  return {
    lowerPriority() {
      yieldToOthers();
      begun ??= process.threadCpuUsage();
      if (isLowered || usedMs(begun) < heavyMs) return;
      isLowered = true;
      setPriority(0, niceness);
    },
    restorePriority() {
      begun = null;
      if (isLowered) setPriority(0, 0);
      isLowered = false;
    },
  };
}

/** For a thread that only does long work: on Linux, all other threads then run first. */
export function setLowestPriority(): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}

/** Processor time of this thread. */
function usedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

function yieldToOthers(): void {
  Atomics.wait(never, 0, 0, yieldMs);
}

/** Tested with the smallest step, which is harmless if it cannot be undone. */
function canRestorePriority(): boolean {
  if (process.platform !== 'linux' || getPriority(0) !== 0) return false;
  try {
    setPriority(0, 1);
    setPriority(0, 0);
    return true;
  } catch {
    return false;
  }
}
