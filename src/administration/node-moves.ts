/**
 * Moves of data spaces that administrators begin: they go on when nobody looks, one at a time in a process, and every process knows
 * them. Their entries in the audit trail follow them.
 */
import { newJobId } from '../data/change-tables.ts';
import type { KnownJob } from '../data/running-jobs.ts';
import type { JobReport } from '../data/table-jobs.ts';
import { malformed } from '../errors.ts';
import type { ClusterProgress, ShowProgress } from '../storage/cluster.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { moveSpace, rebalance } from './nodes.ts';

type Report = JobReport<ClusterProgress>;

export interface NodeMove extends Report {
  /** Null for a rebalancing. */
  readonly spaceId: number | null;
  /** `host:port`; null for a rebalancing. */
  readonly to: string | null;
  /** Milliseconds since 1970. */
  readonly beginTime: number;
}

/** Those that a process carries out. */
export class NodeMoves {
  #isBusy = false;

  /**
   * Resolves when the work first tells progress and every process knows it, or when it ended without.
   * @returns whether it told progress
   * @throws what the work throws until then · ServiceError `malformed` while other work is under way
   */
  async begin(
    { data, log }: Deps<'data' | 'log'>,
    { spaceId, to }: Pick<NodeMove, 'spaceId' | 'to'>,
    work: (progress: ShowProgress) => Promise<unknown>,
  ): Promise<boolean> {
    if (this.#isBusy) throw malformed('move', 'data spaces are being moved already; wait for the end of that.');
    this.#isBusy = true;
    const told = Promise.withResolvers<void>();
    let latest: Report | null = null;
    const show = (progress: ClusterProgress) => {
      latest = { state: 'running', progress, error: null };
      told.resolve();
    };
    const ended = work(show)
      .then(() => {
        if (latest !== null) latest = { ...latest, state: 'done' };
      })
      .catch((error: Error) => {
        if (latest === null) throw error;
        log.warn({ err: error }, 'Data spaces were not moved.');
        latest = { ...latest, state: 'failed', error: error.message };
      })
      .finally(() => {
        this.#isBusy = false;
      });
    await Promise.race([told.promise, ended]);
    if (latest === null) return false;
    const [id, report] = [newJobId(data), () => latest as unknown as Report];
    await data.runningJobs.share({ id, kind: 'move', spaceId, target: to, ended, report, cancel() {} });
    return true;
  }
}

type MoveDeps = Deps<'storage' | 'environment' | 'log' | 'data'> & { readonly nodeMoves: NodeMoves };

/** Those that all processes have begun in the past day, the latest first. @throws ServiceError `busy`, `internal` */
export async function movesOf({ data }: Deps<'data'>, _actor: Permitted<'node.read'>): Promise<readonly NodeMove[]> {
  return (await data.runningJobs.moves()).map(moveOf);
}

function moveOf({ spaceId, target: to, begun: beginTime, isInterrupted, ...job }: KnownJob): NodeMove {
  const move = { spaceId, to, beginTime, ...job, progress: job.progress as ClusterProgress };
  return isInterrupted ? { ...move, state: 'failed', error: interruptedError(spaceId) } : move;
}

function interruptedError(spaceId: number | null): string {
  const outcome =
    spaceId === null ? 'The cluster continues the rebalancing.' : 'The list of data spaces shows where it is now.';
  return `The process that carried it out has ended, or can't reach the directory. ${outcome}`;
}

/** @throws ServiceError as `Cluster.moveSpace`, before it begins · `malformed` while another move is under way */
export async function beginMove(
  deps: MoveDeps,
  actor: Permitted<'node.move'>,
  request: { readonly spaceId: number; readonly to: string },
): Promise<void> {
  await deps.nodeMoves.begin(deps, request, (progress) => moveSpace(deps, actor, request, progress));
}

/**
 * @returns false where the data spaces are balanced already
 * @throws ServiceError as `Cluster.rebalance`, before it begins · `malformed` while another move is under way
 */
export async function beginRebalance(deps: MoveDeps, actor: Permitted<'node.move'>): Promise<boolean> {
  return deps.nodeMoves.begin(deps, { spaceId: null, to: null }, (progress) => rebalance(deps, actor, progress));
}
