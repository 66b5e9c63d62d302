/**
 * A worker without data spaces, such as a new one, gets its share of them under load: every request is settled, and
 * every answered add is stored once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { onCluster, workersOf } from './nodes/scene.ts';
import { countsByRule, type Proof, type Task } from './report.ts';

const beforeMs = 3_000;

export function proveRebalance({ server, spaces, progress }: Task & { readonly spaces: number }): Promise<Proof> {
  return onCluster(server, spaces, async ({ cluster, load, storage }) => {
    const workers = await workersOf(cluster);
    const [empty, other] = workers as [string, string];
    for (const { spaceId, node } of await cluster.spaces()) {
      if (node === empty) await cluster.moveSpace(spaceId, other, () => {});
    }
    progress(`${empty} has no data space now`);
    load.begin();
    await sleep(beforeMs);
    const before = load.tally();
    load.startPhase();
    const began = performance.now();
    let told = -1;
    const { moved } = await cluster.rebalance(({ done, of }) => {
      if (done > told) progress(`${done} of ${of} data spaces moved`);
      told = done;
    });
    const seconds = (performance.now() - began) / 1_000;
    const during = load.tally();
    await load.end();
    const records = await load.compare(storage);
    const got = (await cluster.spaces()).filter(({ node }) => node === empty).length;
    if (got === 0) load.violations.push({ rule: 'every request is settled', message: `${empty} got no data space.` });
    return {
      violations: load.violations,
      figures: [
        { name: 'workers', value: workers.length },
        { name: 'data spaces, of which moved', value: `${spaces}, ${moved}` },
        { name: 'rebalancing, s', value: seconds.toFixed(1) },
        ...load.figures('before', before),
        ...load.figures('meanwhile', during),
        { name: 'records that are there', value: records },
        ...countsByRule(load.violations, ['answered is kept', 'every request is settled']),
      ],
    };
  });
}
