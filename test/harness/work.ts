/** Measures the cost of work, and which of two comes first, reliably even on a busy machine. */
import assert from 'node:assert/strict';

/** Processor time of this thread for the work, milliseconds; other load on the machine does not count. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const roundsMax = 20;

/**
 * Expects the others to complete while the long one, which ends by its own time limit, still runs. On a busy machine
 * that limit may pass before the others had their turn, so this is repeated; if the others wait for the long one, they
 * never come first.
 */
export async function answeredMeanwhile(long: () => Promise<unknown>, others: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    let hasEnded = false;
    const running = long().finally(() => {
      hasEnded = true;
    });
    running.catch(() => {});
    await others();
    const cameFirst = !hasEnded;
    await running;
    if (cameFirst) return;
  }
  assert.fail(`In ${roundsMax} rounds the others were never answered before the long one ended.`);
}
