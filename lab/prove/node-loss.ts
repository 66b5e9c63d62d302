/**
 * A worker of a cluster is lost under load and comes back, by given commands: clients of its data spaces are refused as
 * busy, all others are served, /readyz names the node, and every answered add is stored once.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Violation } from './history.ts';
import { onCluster, type Scene, workersOf } from './nodes/scene.ts';
import { countsByRule, type Proof, type Task } from './report.ts';

const phaseMs = 8_000;
const lookEveryMs = 100;
const waitMsMax = 60_000;

export interface NodeLossTask extends Task {
  readonly spaces: number;
  /** `host:port` of the worker that the commands stop and start. */
  readonly node: string;
  readonly lose: string;
  readonly regain: string;
}

export function proveNodeLoss(task: NodeLossTask): Promise<Proof> {
  const { server, spaces, node, lose, regain, progress } = task;
  return onCluster(server, spaces, async (scene) => {
    const { cluster, load, storage } = scene;
    const workers = await workersOf(cluster);
    if (!workers.includes(node)) throw new Error(`--node: expected one of ${workers.join(', ')}, got "${node}".`);
    const [own, others] = await divided(scene, node);
    load.begin();
    await sleep(phaseMs / 4);
    load.startPhase();
    progress(`${node} is lost, with ${own.length} of ${spaces} data spaces`);
    await run(lose);
    let isLost = true;
    try {
      const named = await until(scene, (away) => away.includes(node));
      await sleep(phaseMs);
      const [lost, served] = [load.tally(own), load.tally(others)];
      load.startPhase();
      await run(regain);
      isLost = false;
      progress(`${node} is back`);
      const back = await until(scene, (away) => away.length === 0);
      const answered = await firstAdd(scene, own);
      await sleep(phaseMs / 4);
      await load.end();
      const records = await load.compare(storage);
      load.violations.push(...expected(lost, served));
      return {
        violations: load.violations,
        figures: [
          { name: 'data spaces on the node, on others', value: `${own.length}, ${others.length}` },
          { name: 'until /readyz names the node, ms', value: Math.round(named) },
          ...load.figures('lost node, while away', lost),
          ...load.figures('other nodes, while away', served),
          { name: 'until /readyz names no node, ms', value: Math.round(back) },
          { name: 'from then until an add on it is answered, ms', value: Math.round(answered) },
          { name: 'records that are there', value: records },
          ...countsByRule(load.violations, ['answered is kept', 'every request is settled', 'it says what hangs']),
        ],
      };
    } finally {
      if (isLost) await run(regain);
    }
  });
}

async function divided({ cluster }: Scene, node: string): Promise<[number[], number[]]> {
  const placed = await cluster.spaces();
  const [own, others] = [placed.filter((space) => space.node === node), placed.filter((space) => space.node !== node)];
  if (own.length === 0 || others.length === 0) throw new Error('--spaces: expected data spaces on both sides.');
  return [own.map(({ spaceId }) => spaceId), others.map(({ spaceId }) => spaceId)];
}

async function run(command: string): Promise<void> {
  await promisify(execFile)('/bin/sh', ['-c', command]);
}

/** @returns ms until /readyz names such nodes */
async function until({ port }: Scene, test: (away: readonly string[]) => boolean): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    const { nodes = [] } = (await answer.json()) as { nodes?: readonly string[] };
    if (test(nodes)) return performance.now() - began;
    if (performance.now() - began > waitMsMax)
      throw new Error(`After ${waitMsMax} ms /readyz names ${nodes.join(', ')}.`);
    await sleep(lookEveryMs);
  }
}

/** @returns ms until an add on each of the data spaces was answered */
async function firstAdd({ load }: Scene, spaceIds: readonly number[]): Promise<number> {
  const began = performance.now();
  while (spaceIds.some((spaceId) => load.tally([spaceId]).adds === 0)) {
    if (performance.now() - began > waitMsMax) throw new Error(`No add was answered for ${waitMsMax} ms.`);
    await sleep(lookEveryMs);
  }
  return performance.now() - began;
}

type Tally = ReturnType<Scene['load']['tally']>;

function expected(lost: Tally, served: Tally): Violation[] {
  const rule = 'every request is settled';
  return [
    ...(lost.refused > 0 ? [] : [{ rule, message: 'Nobody was told to try again.' } as const]),
    ...(served.adds > 0 ? [] : [{ rule, message: 'The other nodes served nothing.' } as const]),
  ];
}
