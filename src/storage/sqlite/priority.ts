/**
 * The priority of a thread for queries: one that takes long stands back where the cores are all at work, so that single
 * records, commits and short queries come first and a heavy query slows down hardly anybody but itself.
 */
import { getPriority, setPriority } from 'node:os';

/** As in `nice`. */
const niceness = 15;

/** Of processor time since a query was found to be long, milliseconds: on a busy machine a short one too is at it for long. */
const heavyMs = 30;

/** So short that the query hardly takes longer, and yet the thread leaves its core to whoever waits for one. */
const yieldMs = 0.02;

/** Nobody ever wakes who waits for it. */
const never = new Int32Array(new SharedArrayBuffer(4));

export interface Priority {
  /**
   * Lets others by for a moment; once it was called again and again for long enough, they come first until
   * `restorePriority`. Of this thread alone.
   */
  lowerPriority(): void;
  restorePriority(): void;
}

/**
 * To be asked in the thread itself. On Linux a thread has a priority of its own, and only a process with the right to raise
 * it (root, or CAP_SYS_NICE) can come forward again; elsewhere, and without that right, the thread only lets others by.
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

/** For a thread whose work may take long from its beginning to its end: on Linux all other threads come first. */
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

/** Tried by the smallest step, which does no harm where it can't be taken back. */
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
