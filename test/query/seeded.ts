/** Property tests that can be run again: the seed is told on every run, and taken from `ROWHOUSE_TEST_SEED` when it is set. */
import type { TestContext } from 'node:test';
import fc, { type IProperty } from 'fast-check';

export function holds<T>(context: TestContext, property: IProperty<T>, numRuns: number): void {
  const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 2_147_483_648);
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  fc.assert(property, { seed, numRuns });
}
