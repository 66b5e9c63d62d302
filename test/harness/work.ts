/** What work costs and which of two comes first, told in a way that holds on a busy machine too. */
import assert from 'node:assert/strict';

/** Milliseconds of a processor that this thread takes for the work; what else the machine does is not in it. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const roundsMax = 20;

/**
 * The others are done while the long one, which ends by its own time limit, still runs. On a busy machine that limit may pass
 * before the others have had their turn, so it is tried again; others that wait for the long one never come first.
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
