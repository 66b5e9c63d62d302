/**
 * Random puts and batches of several tables, compared with a model of plain Maps; `npm run compare:writes` sends a
 * hundred thousand.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitions } from '../../lab/writes/batches.ts';
import { checkWrites } from '../../lab/writes/check.ts';
import { defineTables, send } from '../harness/requests.ts';
import { startWorld } from '../harness/world.ts';

const people = ['alice', 'bob', 'carol'] as const;
const batches = 300;

test(`${batches} random batches agree with the model`, async (t) => {
  const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const world = await startWorld({ people });
  t.after(() => world.close());
  await defineTables(world, 'alice', definitions);
  const writers = people.map((who) => {
    const { id, groupIds } = world.person(who);
    return [who, { userId: Number(id), groupIds }] as const;
  });
  const service = {
    post: (who: (typeof people)[number], path: string, body: object) => send(world, who, 'POST', path, body),
    writers: Object.fromEntries(writers) as Record<(typeof people)[number], (typeof writers)[number][1]>,
    foreignGroup: Number(world.names.get('foreign.group')),
  };
  const tally = await checkWrites(service, { seed, batches });
  t.diagnostic(JSON.stringify(tally));
  // Both outcomes must occur often enough for the comparison to be meaningful.
  assert.ok(tally.refused > batches / 10 && tally.refused < 0.8 * batches, `${tally.refused} were refused`);
  for (const count of [tally.added, tally.updated, tally.replays]) assert.ok(count > 0, JSON.stringify(tally));
});
