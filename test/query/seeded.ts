/** Property tests that can be repeated: the seed is printed on every run, and read from `ROWHOUSE_TEST_SEED` if set. */
import type { TestContext } from 'node:test';
import fc, { type IAsyncProperty, type IProperty } from 'fast-check';

export async function holds<T>(
  context: TestContext,
  property: IProperty<T> | IAsyncProperty<T>,
  numRuns: number,
): Promise<void> {
  const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 2_147_483_648);
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  await fc.assert(property as IAsyncProperty<T>, { seed, numRuns });
}
