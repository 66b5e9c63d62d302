/** Faults of the machine cause a clear error and leave an intact state; each is tried on a separate service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inScratch } from '../../lab/machine/scratch.ts';
import { fullDisk } from '../../lab/prove/faults/disk.ts';
import { mountSmallDisk, unmount } from '../../lab/prove/faults/machine.ts';
import { type PreparedData, prepareData, tryFault } from '../../lab/prove/faults/scene.ts';
import { machineFaults } from '../../lab/prove/faults.ts';

const canMount = await inScratch(async (scratch) => {
  const isMounted = mountSmallDisk(join(scratch, 'trial'), 24 * 1024 * 1024);
  if (isMounted) unmount(join(scratch, 'trial'));
  return isMounted;
});
const withoutMount = `${fullDisk.name} (weaker here: no disk can be mounted, so files may not grow instead)`;

const folder = mkdtempSync(join(tmpdir(), 'rowhouse-test-'));
let prepared: PreparedData;
before(async () => {
  prepared = await prepareData(join(folder, 'data'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const fault of machineFaults) {
  test(fault === fullDisk && !canMount ? withoutMount : fault.name, () =>
    inScratch(async (scratch) => {
      const { failures, acknowledged } = await tryFault(fault, prepared, join(scratch, 'place'));
      assert.deepEqual(failures, []);
      assert.ok(acknowledged >= 40, `only ${acknowledged} writes were answered`);
    }),
  );
}
