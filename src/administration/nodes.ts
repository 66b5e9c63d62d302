/**
 * The nodes of a cluster: how they are, where data spaces are, and moving them.
 */
import type { Actor } from '../actor.ts';
import { type Page, type PageRequest, rangeOf } from '../directory/paging.ts';
import { ServiceError } from '../errors.ts';
import type { Cluster, ClusterNode, MovedSpace, PlacedSpace, Rebalanced, ShowProgress } from '../storage/cluster.ts';
import { type AdministrationDeps, type AuditedAction, auditEntry, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

export type NodeDeps = Pick<AdministrationDeps, 'storage' | 'environment'>;

/** @throws ServiceError `malformed` when the storage is on no cluster */
export function clusterOf({ storage }: Pick<NodeDeps, 'storage'>): Cluster {
  if (storage.cluster !== null) return storage.cluster;
  throw new ServiceError(
    'malformed',
    'This storage is not a cluster; only PostgreSQL with the extension Citus has nodes (docs/how-to/citus.md).',
  );
}

/** The nodes, asked now; none where the storage is on no cluster. */
export async function listNodes(
  { storage }: Pick<NodeDeps, 'storage'>,
  _actor: Permitted<'node.read'>,
): Promise<readonly ClusterNode[]> {
  return (await storage.cluster?.nodes()) ?? [];
}

export interface OwnedSpace extends PlacedSpace {
  /** Null for a data space that the directory does not know. */
  readonly companyId: number | null;
  readonly appId: string | null;
  /** The application versions that use its tables. */
  readonly versions: readonly string[];
}

/** Every data space with its node and owner, ordered by id. */
export async function listSpaces(deps: NodeDeps): Promise<OwnedSpace[]> {
  const cluster = clusterOf(deps);
  const { directory } = deps.storage;
  const owners = directory.build
    .selectFrom('data_space as s')
    .leftJoin('app_version as v', 'v.space_id', 's.id')
    .select(['s.id', 's.company_id', 's.app_id', 'v.version'])
    .orderBy('s.id')
    .orderBy('v.version');
  const owned = new Map<number, Omit<OwnedSpace, keyof PlacedSpace>>();
  for (const { id, company_id: companyId, app_id: appId, version } of await directory.read(owners)) {
    const versions = [...(owned.get(Number(id))?.versions ?? []), ...(version === null ? [] : [version])];
    owned.set(Number(id), { companyId: Number(companyId), appId, versions });
  }
  const unknown = { companyId: null, appId: null, versions: [] };
  return (await cluster.spaces()).map((space) => ({ ...space, ...(owned.get(space.spaceId) ?? unknown) }));
}

/** Those that a filter leaves; none where the storage is on no cluster. @throws ServiceError `malformed` for a limit out of bounds */
export async function pageOfSpaces(
  deps: NodeDeps & Deps<'settings'>,
  _actor: Permitted<'node.read'>,
  { node, companyId, ...range }: Pick<PageRequest, 'offset' | 'limit'> & SpaceFilter,
): Promise<Page<OwnedSpace>> {
  const { offset, limit } = rangeOf(range, deps.settings);
  const all = deps.storage.cluster === null ? [] : await listSpaces(deps);
  const matching = all.filter(
    (space) =>
      (node === undefined || space.node === node) && (companyId === undefined || String(space.companyId) === companyId),
  );
  return { results: matching.slice(offset, offset + limit), count: matching.length };
}

interface SpaceFilter {
  readonly node?: string;
  readonly companyId?: string;
}

/**
 * The audit entry follows the move, because Citus moves in a transaction of its own.
 * @throws ServiceError as `Cluster.moveSpace`
 */
export async function moveSpace(
  deps: NodeDeps,
  actor: Permitted<'node.move'>,
  request: { readonly spaceId: number; readonly to: string },
  progress: ShowProgress,
): Promise<MovedSpace> {
  const moved = await clusterOf(deps).moveSpace(request.spaceId, request.to, progress);
  const { spaceId, from, to } = moved;
  await note(deps, actor, { action: 'node.moveSpace', target: `data space ${spaceId}`, detail: { from, to } });
  return moved;
}

/**
 * Its audit entry follows the rebalancing. There is none if nothing was moved, or if another command began it.
 * @throws ServiceError as `Cluster.rebalance`
 */
export async function rebalance(
  deps: NodeDeps,
  actor: Permitted<'node.move'>,
  progress: ShowProgress,
): Promise<Rebalanced> {
  const done = await clusterOf(deps).rebalance(progress);
  const { moved, followed } = done;
  if (moved > 0 && !followed)
    await note(deps, actor, { action: 'node.rebalance', target: 'the cluster', detail: { moved } });
  return done;
}

async function note(deps: NodeDeps, actor: Actor, action: Omit<AuditedAction, 'companyId' | 'appId'>): Promise<void> {
  await deps.storage.directory.write([auditEntry(deps, actor, { ...action, companyId: null, appId: null })]);
}
