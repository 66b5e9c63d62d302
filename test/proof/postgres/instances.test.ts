/** The proofs that need PostgreSQL, in short; `npm run prove` runs them longer. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { proveCanaries } from '../../../lab/prove/canaries.ts';
import { proveFailover } from '../../../lab/prove/failover.ts';
import { proveReplays } from '../../../lab/prove/replays.ts';
import type { Proof } from '../../../lab/prove/report.ts';
import { proveRevocation } from '../../../lab/prove/revocation.ts';
import { proveUpsets } from '../../../lab/prove/upsets.ts';
import { serverUrl } from '../../engines/server.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const failovers = 3;
const batches = 1_000;

async function holds(
  context: TestContext,
  proving: (progress: (line: string) => void) => Promise<Proof>,
): Promise<Map<string, string | number>> {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const { violations, figures } = await proving((line) => context.diagnostic(line));
  assert.deepEqual(violations, []);
  for (const { name, value } of figures) context.diagnostic(`${name}: ${value}`);
  return new Map(figures.map(({ name, value }) => [name, value]));
}

test('fail-overs to a synchronous standby lose nothing that was answered', async (context) => {
  const figures = await holds(context, (progress) => proveFailover({ cycles: failovers, seed, progress }));
  assert.equal(figures.get('fail-overs'), failovers);
  assert.ok(Number(figures.get('transactions carried out')) > failovers * 10);
});

test('whatever happens to the database, the service answers or refuses as busy, and recovers by itself', async (context) => {
  await holds(context, (progress) => proveUpsets({ cycles: 1, seed, progress }));
});

test('replays of a batch on two instances: one is executed', async (context) => {
  const figures = await holds(context, (progress) => proveReplays({ instances: 2, batches, seed, progress }));
  assert.ok(Number(figures.get('answered again from the history')) > batches / 2);
});

test('a session that one instance ends is accepted by no other after five seconds', async (context) => {
  const server = await serverUrl();
  const figures = await holds(context, (progress) =>
    proveRevocation({ server, instances: 2, cycles: 10, thinkMs: 300, seed, progress }),
  );
  assert.ok(Number(figures.get('refused because the session was ended')) > 100);
});

test('no answer, line of the log or row of a database contains a secret', async (context) => {
  const server = await serverUrl();
  const figures = await holds(context, (progress) => proveCanaries({ server, requests: 300, seed, progress }));
  assert.match(String(figures.get('answered codes')), /\b0: \d\d/);
});
