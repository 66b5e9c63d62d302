/** A short run of `npm run prove -- hostile`: nothing breaks and no fault is answered. The times are not judged here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveHostile } from '../../lab/prove/hostile.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);

test('hostile clients of one company, in 512 MiB, end nothing and meet no fault', async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const progress = (line: string) => context.diagnostic(line);
  const proof = await proveHostile({ seconds: 4, clients: 64, memoryMib: 512, slowerMax: null, seed, progress });
  assert.deepEqual(proof.violations, []);
  context.diagnostic(proof.figures.map(({ name, value }) => `${name}: ${value}`).join('\n'));
  const answers = proof.figures.filter(({ value }) => /\b\d{3}: /.test(String(value)));
  assert.ok(answers.length > 0, 'hostile requests are answered');
});
