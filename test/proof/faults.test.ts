/** Faults of the machine end in a clear error and a sound state; each is tried on a service of its own. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inScratch } from '../../lab/machine/scratch.ts';
import { tryFault } from '../../lab/prove/faults/scene.ts';
import { machineFaults } from '../../lab/prove/faults.ts';

for (const fault of machineFaults) {
  test(fault.name, () =>
    inScratch(async (scratch) => {
      const { failures, acknowledged } = await tryFault(fault, join(scratch, 'place'));
      assert.deepEqual(failures, []);
      assert.ok(acknowledged >= 40, `only ${acknowledged} writes were answered`);
    }),
  );
}
