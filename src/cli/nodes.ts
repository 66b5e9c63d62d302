/** `rowhouse nodes`: the nodes of a cluster, what is on each, and moving data spaces between them. */
import { operator } from '../actor.ts';
import { clusterOf, listSpaces, moveSpace, type OwnedSpace, rebalance } from '../administration/nodes.ts';
import { systemEnvironment as environment } from '../environment.ts';
import type { ClusterNode, ShowProgress } from '../storage/cluster.ts';
import { line, table } from './answer.ts';
import { action, type Command, id, optional, text, UsageError } from './command.ts';
import type { CommandContext } from './context.ts';
import { progressOf } from './progress.ts';

export const nodesCommand: Command = {
  name: 'nodes',
  summary: 'The nodes of a cluster (PostgreSQL with Citus), and the data spaces on each.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the nodes: whether each responds and is safe to write to, and the number of its data spaces.',
      flags: {},
      async run(_values, context) {
        const nodes = await clusterOf({ storage: await context.storage() }).nodes();
        const columns = {
          node: ({ host, port }: ClusterNode) => `${host}:${port}`,
          role: ({ role }: ClusterNode) => role,
          reachable: ({ reachable }: ClusterNode) => reachable,
          'takes spaces': ({ takesSpaces }: ClusterNode) => takesSpaces,
          'data spaces': ({ spaces }: ClusterNode) => spaces,
          size: ({ bytes }: ClusterNode) => sizeText(bytes),
        };
        const listed = table(nodes, columns, 'There are no nodes.');
        const problems = nodes.flatMap(({ problem }) => problem ?? []);
        return { text: [listed.text, ...problems].join('\n'), json: nodes };
      },
    }),
    action({
      name: 'spaces',
      summary: 'Lists the data spaces, each with its node, company and size.',
      flags: {
        node: optional(text('<host:port>', 'Only data spaces on this node.')),
        company: optional(id('Only data spaces of this company.')),
      },
      async run({ node, company }, context) {
        const spaces = (await listSpaces({ storage: await context.storage(), environment })).filter(
          (space) =>
            (node === undefined || space.node === node) && (company === undefined || space.companyId === company),
        );
        const columns = {
          'data space': ({ spaceId }: OwnedSpace) => spaceId,
          node: (space: OwnedSpace) => space.node,
          company: ({ companyId }: OwnedSpace) => companyId,
          app: ({ appId }: OwnedSpace) => appId,
          versions: ({ versions }: OwnedSpace) => versions,
          size: ({ bytes }: OwnedSpace) => sizeText(bytes),
        };
        return table(spaces, columns, 'There are no such data spaces.');
      },
    }),
    action({
      name: 'move',
      summary: 'Moves a data space to another node while it is in use; its writes wait briefly at the end.',
      argument: { name: 'space', meaning: 'The number of the data space, as "rowhouse nodes spaces" lists it.' },
      flags: { to: text('<host:port>', 'The target node.') },
      async run({ space, to }, context) {
        const spaceId = spaceIn(space);
        const deps = { storage: await context.storage(), environment };
        const moved = await showing(context, (progress) => moveSpace(deps, operator, { spaceId, to }, progress));
        return line(`Data space ${spaceId} was moved from ${moved.from} to ${moved.to}.`, moved);
      },
    }),
    action({
      name: 'rebalance',
      summary:
        'Spreads the data spaces over the workers, one after the other, while they are in use. If this command is ended, rebalancing continues in the background; run the command again to follow it.',
      flags: {},
      async run(_values, context) {
        const deps = { storage: await context.storage(), environment };
        const done = await showing(context, (progress) => rebalance(deps, operator, progress));
        const many = done.moved === 1 ? '1 data space was' : `${done.moved} data spaces were`;
        return line(done.moved === 0 ? 'The data spaces are balanced already.' : `${many} moved.`, done);
      },
    }),
  ],
};

function spaceIn(space: unknown): number {
  const { read, expected } = id('The data space.');
  const spaceId = read(String(space));
  if (spaceId === undefined) throw new UsageError(`<space>: expected ${expected}, got ${JSON.stringify(space)}.`);
  return spaceId as number;
}

async function showing<R>(context: CommandContext, work: (progress: ShowProgress) => Promise<R>): Promise<R> {
  const display = progressOf(context);
  try {
    return await work(({ doing, ...at }) => display.show({ name: doing, ...at }));
  } finally {
    display.end();
  }
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `200 KiB`; three digits at least from 1 MiB on. */
export function sizeText(bytes: number | null): string | null {
  if (bytes === null) return null;
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  return `${power < 2 ? Math.round(value) : value.toPrecision(Math.max(3, String(Math.trunc(value)).length))} ${units[power]}`;
}
