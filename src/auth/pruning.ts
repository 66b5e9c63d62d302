/** Deletes rows kept long enough, in the background: every hour, one batch after another. */
import type { AuthLog } from './log.ts';

const everyMs = 3_600_000;

/** Rows per batch, so that others do not wait long. */
export const rowsPerWrite = 500;

export interface Pruning {
  /** Resolves when the run under way has ended. */
  stop(): Promise<void>;
}

/** By kind of row: deletes at most `rowsPerWrite` rows and returns their number. */
export type Portions = Readonly<Record<string, () => Promise<number>>>;

/** A failed run is logged, and the next one tries again. */
export function startPruning(portions: Portions, log: AuthLog): Pruning {
  let running = Promise.resolve();
  let stopped = false;
  const run = async (): Promise<void> => {
    for (const [what, prunePortion] of Object.entries(portions)) {
      try {
        while (!stopped && (await prunePortion()) === rowsPerWrite);
      } catch (error) {
        log.warn({ err: error }, `${what} could not be removed.`);
      }
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
