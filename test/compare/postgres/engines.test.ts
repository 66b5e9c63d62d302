/** Both engines answer the same random queries alike, byte for byte; `npm run compare` sends a hundred thousand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from '../../../lab/questions/run.ts';
import { startPair } from '../../../lab/questions/services.ts';
import { serverUrl } from '../../engines/server.ts';

const queries = 1_500;

test(`${queries} random queries, and the writes and changes of tables between them, have the same answers`, async (t) => {
  const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const pair = await startPair(await serverUrl());
  t.after(() => pair.close());
  const { tally, differences } = await compare(pair, { seed, queries, differencesMax: 5 });
  assert.deepEqual(differences, []);
  assert.equal(tally.queries, queries);
  assert.ok(tally.changes > 0.03 * queries, `${tally.changes} changes of tables were made`);
  // Most must be valid and find something for the comparison to be meaningful.
  assert.ok(tally.refused < 0.45 * (tally.queries + tally.writes), `${tally.refused} were refused`);
  assert.ok(tally.found > 0.25 * tally.queries, `${tally.found} found something`);
});
