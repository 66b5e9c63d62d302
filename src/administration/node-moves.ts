/**
 * Moves of data spaces that administrators begin: they go on when nobody looks, one at a time, and are known to the process that
 * carries them out. Their entries in the audit trail follow them.
 */
import { malformed } from '../errors.ts';
import type { ClusterProgress, ShowProgress } from '../storage/cluster.ts';
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { moveSpace, rebalance } from './nodes.ts';

/** The number of moves that a process remembers. */
const rememberedMax = 20;

export interface NodeMove {
  /** Null for a rebalancing. */
  readonly spaceId: number | null;
  /** `host:port`; null for a rebalancing. */
  readonly to: string | null;
  /** Milliseconds since 1970. */
  readonly beginTime: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly progress: ClusterProgress;
  /** Why it failed. */
  readonly error: string | null;
}

/** Those of a process. */
export class NodeMoves {
  readonly #all: NodeMove[] = [];
  #isBusy = false;

  /** The latest first. */
  get all(): readonly NodeMove[] {
    return this.#all;
  }

  /**
   * @returns when the work tells progress for the first time; null where it ended without
   * @throws what the work throws until then · ServiceError `malformed` while other work is under way
   */
  async begin(
    { environment, log }: Deps<'environment' | 'log'>,
    of: Pick<NodeMove, 'spaceId' | 'to'>,
    work: (progress: ShowProgress) => Promise<unknown>,
  ): Promise<NodeMove | null> {
    if (this.#isBusy) throw malformed('move', 'data spaces are being moved already; wait for the end of that.');
    this.#isBusy = true;
    const told = Promise.withResolvers<NodeMove>();
    const beginTime = environment.now();
    let move: NodeMove | null = null;
    const show = (changes: Pick<NodeMove, 'state' | 'progress' | 'error'>) => {
      if (move !== null) this.#all.shift();
      move = { ...of, beginTime, ...changes };
      this.#all.unshift(move);
      this.#all.splice(rememberedMax);
      told.resolve(move);
    };
    const ended = work((progress) => show({ state: 'running', progress, error: null }))
      .then(() => move !== null && show({ ...move, state: 'done' }))
      .catch((error: Error) => {
        if (move === null) throw error;
        log.warn({ err: error }, 'Data spaces were not moved.');
        show({ ...move, state: 'failed', error: error.message });
      })
      .finally(() => {
        this.#isBusy = false;
      });
    await Promise.race([told.promise, ended]);
    return move;
  }
}

type MoveDeps = Deps<'storage' | 'environment' | 'log'> & { readonly nodeMoves: NodeMoves };

/** The moves that the answering process has started, the latest first. */
export function movesOf(
  { nodeMoves }: Pick<MoveDeps, 'nodeMoves'>,
  _actor: Permitted<'node.read'>,
): readonly NodeMove[] {
  return nodeMoves.all;
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
  const of = { spaceId: null, to: null };
  return (await deps.nodeMoves.begin(deps, of, (progress) => rebalance(deps, actor, progress))) !== null;
}
