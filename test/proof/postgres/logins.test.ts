/** One code sent at once to two instances that share a PostgreSQL database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveLogins } from '../../../lab/prove/logins.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const rounds = 5;

test('of a hundred logins at once with one code, on two instances, one leads in', async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const progress = (line: string) => context.diagnostic(line);
  const { violations, figures } = await proveLogins({ rounds, instances: 2, seed, progress });
  assert.deepEqual(violations, []);
  assert.equal(figures.find(({ name }) => name === 'that led in')?.value, rounds);
});
