/**
 * The priority of a thread for queries: one that takes long stands back where the cores are all at work, so that single
 * records, commits and short queries come first and a heavy query slows down hardly anybody but itself.
 */
import { getPriority, setPriority } from 'node:os';

/** As in `nice`. */
const niceness = 15;

export interface Priority {
  /** Takes effect for this thread alone, until `comeForward`. */
  standBack(): void;
  comeForward(): void;
}

/**
 * To be asked in the thread itself. On Linux a thread has a priority of its own, and only a process with the right to raise
 * it (root, or CAP_SYS_NICE) can come forward again; elsewhere, and without that right, the thread stays as it is.
 */
export function threadPriority(): Priority {
  if (!mayReturn()) return { standBack() {}, comeForward() {} };
  let isBack = false;
  return {
    standBack() {
      isBack = true;
      setPriority(0, niceness);
    },
    comeForward() {
      if (isBack) setPriority(0, 0);
      isBack = false;
    },
  };
}

/** Tried by the smallest step, which does no harm where it can't be taken back. */
function mayReturn(): boolean {
  if (process.platform !== 'linux' || getPriority(0) !== 0) return false;
  try {
    setPriority(0, 1);
    setPriority(0, 0);
    return true;
  } catch {
    return false;
  }
}
