/** `npm run prove -- client` in short, with processes; `test/client/sqlite/browser.test.ts` has the tabs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveClient } from '../../lab/prove/client.ts';
import { engine } from '../engines/engine.ts';
import { serverUrl } from '../engines/server.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const batches = 240;

test('a program that is killed while it writes through an outbox loses nothing, and nothing is written twice', async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const server = engine === 'postgres' ? await serverUrl() : undefined;
  const session = { refreshAfterMs: 10, batches: 8 };
  const few = { processes: 1, life: { process: 100, tab: 0 }, batches, tabBatches: 0, session };
  const { violations, figures } = await proveClient({
    ...few,
    seed,
    server,
    progress: (line) => context.diagnostic(line),
  });
  assert.deepEqual(violations, []);
  const figure = (name: string) => Number(figures.find((each) => each.name === name)?.value);
  assert.equal(figure('batches carried out'), batches);
  assert.ok(figure('answers dropped after the service answered') > 3);
  assert.ok(figure('processes killed') > 0);
  assert.ok(figure('tokens replaced') > 0);
  assert.ok(figure('sign-ins') > figure('users of each outbox'), 'some were needed because a session had ended');
});
