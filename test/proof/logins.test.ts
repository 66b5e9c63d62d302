/** The proof of one code and many logins, in a few rounds; `npm run prove -- logins` runs more of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginsAtOnce, proveLogins } from '../../lab/prove/logins.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const rounds = 5;

test('of a hundred logins at once with one code, one leads in', async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const progress = (line: string) => context.diagnostic(line);
  const { violations, figures } = await proveLogins({ rounds, instances: 1, seed, progress });
  assert.deepEqual(violations, []);
  const figure = (name: string) => figures.find((each) => each.name === name)?.value;
  assert.equal(figure('that led in'), rounds);
  assert.equal(figure('answered 0'), rounds);
  assert.equal(figure('answered 115'), rounds * (loginsAtOnce - 1));
});
