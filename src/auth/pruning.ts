/** Takes away, in the background, what was kept long enough: every hour, one portion after the other. */
import type { AuthLog } from './log.ts';

const everyMs = 3_600_000;

/** Rows of one portion, so that nobody waits for long. */
export const rowsPerWrite = 500;

export interface Pruning {
  /** Resolves when the run under way has ended. */
  stop(): Promise<void>;
}

/**
 * A failed run is logged, and the next one tries again.
 * @param prunePortion takes away at most `rowsPerWrite` rows, and answers how many they were
 * @param failed what the log says of a failed run
 */
export function startPruning(prunePortion: () => Promise<number>, failed: string, log: AuthLog): Pruning {
  let running = Promise.resolve();
  let stopped = false;
  const run = async (): Promise<void> => {
    try {
      while (!stopped && (await prunePortion()) === rowsPerWrite);
    } catch (error) {
      log.warn({ err: error }, failed);
    }
  };
  const timer = setInterval(() => {
    running = running.then(run);
  }, everyMs).unref();
  return {
    stop() {
      stopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
