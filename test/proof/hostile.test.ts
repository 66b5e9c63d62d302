/** A short run of `npm run prove -- hostile`: nothing breaks and no fault is returned. Times are not judged here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitMemory } from '../../lab/prove/hostile/memory-limit.ts';
import { proveHostile } from '../../lab/prove/hostile.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);

const memoryMib = 512;
const limit = limitMemory(memoryMib * 1024 * 1024);
limit?.remove();
const how = limit === null ? ' (weaker here: the service is only told its memory, no cgroup may be made)' : '';

test(`hostile clients of one company, in 512 MiB, stop nothing and cause no fault${how}`, async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const progress = (line: string) => context.diagnostic(line);
  const proof = await proveHostile({ seconds: 4, clients: 64, memoryMib, slowerMax: null, seed, progress });
  assert.deepEqual(proof.violations, []);
  context.diagnostic(proof.figures.map(({ name, value }) => `${name}: ${value}`).join('\n'));
  const answers = proof.figures.filter(({ value }) => /\b\d{3}: /.test(String(value)));
  assert.ok(answers.length > 0, 'hostile requests are answered');
});
