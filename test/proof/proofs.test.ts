/** The proofs in short; `npm run prove` runs them at full length. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { proveContention } from '../../lab/prove/contention.ts';
import { proveDrop } from '../../lab/prove/drop.ts';
import { proveKill } from '../../lab/prove/kill.ts';
import type { Proof } from '../../lab/prove/report.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const cycles = 12;
const droppedBatches = 1_500;
const contendedBatches = 1_500;

function figure({ figures }: Proof, name: string): number {
  const found = figures.find((each) => each.name === name);
  return Number.parseFloat(/\(([\d.]+) %\)/.exec(String(found?.value))?.[1] ?? String(found?.value));
}

async function holds(
  context: TestContext,
  proving: (progress: (line: string) => void) => Promise<Proof>,
): Promise<Proof> {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const proof = await proving((line) => context.diagnostic(line));
  assert.deepEqual(proof.violations, []);
  return proof;
}

test('killed repeatedly, the service loses nothing that it answered', async (context) => {
  const proof = await holds(context, (progress) => proveKill({ cycles, seed, progress }));
  assert.equal(figure(proof, 'kill -9'), cycles);
  assert.ok(figure(proof, 'batches answered before the kill') > cycles);
  assert.ok(figure(proof, 'batches without an answer') > cycles / 2);
});

test('dropped answers, repeats and requests delivered twice take effect once', async (context) => {
  const proof = await holds(context, (progress) => proveDrop({ batches: droppedBatches, seed, progress }));
  assert.ok(figure(proof, 'answers dropped after the service answered') >= 30);
  assert.ok(figure(proof, 'delivered twice at once') > 30);
  assert.ok(figure(proof, 'another payload under a used id: refused') > 30);
});

test('64 writers on 10 records lose no update, whatever the clock does', async (context) => {
  const proof = await holds(context, (progress) => proveContention({ batches: contendedBatches, seed, progress }));
  assert.ok(figure(proof, 'refused by the lock') > contendedBatches / 10);
  assert.ok(figure(proof, 'carried out') > contendedBatches / 50);
  assert.ok(figure(proof, 'steps of the clock, up to an hour') > 20);
});
