/** A cluster of databases whose nodes share the data spaces, as offered by an engine. */

export interface Cluster {
  /** The coordinator first, then the workers by name and port. Asks each of them now. */
  nodes(): Promise<readonly ClusterNode[]>;
  /** The location of each data space, ordered by id. */
  spaces(): Promise<readonly PlacedSpace[]>;
  /**
   * Moves a data space while it is read and written. Closing the storage gives the move up.
   * @param to `host:port` of a node
   * @param progress called before the move begins, when nothing refuses it any more
   * @throws ServiceError `malformed` for an unknown data space or node, or one that can't take it; `internal`
   */
  moveSpace(spaceId: number, to: string, progress: ShowProgress): Promise<MovedSpace>;
  /**
   * Spreads the data spaces over the workers, or follows a rebalancing that is under way. It continues if the caller
   * ends.
   * @throws ServiceError `malformed` when a worker can't take part; `internal` when the rebalancing failed or was stopped
   */
  rebalance(progress: ShowProgress): Promise<Rebalanced>;
}

export interface ClusterNode {
  readonly host: string;
  readonly port: number;
  readonly role: 'coordinator' | 'worker';
  /** Whether new data spaces may be made there, and a rebalancing may move some there. */
  readonly takesSpaces: boolean;
  readonly reachable: boolean;
  /** Why it is not reachable, or what it does not guarantee, with the remedy; null without a problem. */
  readonly problem: string | null;
  readonly spaces: number;
  /** Bytes of its data spaces; null while it is not reachable. */
  readonly bytes: number | null;
}

export interface PlacedSpace {
  readonly spaceId: number;
  /** `host:port` */
  readonly node: string;
  /** Bytes of records, indexes and history; null while the node is not reachable. */
  readonly bytes: number | null;
}

export interface MovedSpace {
  readonly spaceId: number;
  readonly from: string;
  readonly to: string;
}

export interface Rebalanced {
  /** How many data spaces were moved. */
  readonly moved: number;
  /** True when the rebalancing had begun before. */
  readonly followed: boolean;
}

export interface ClusterProgress {
  readonly doing: string;
  readonly done: number;
  readonly of: number;
  readonly unit: 'bytes' | 'data spaces';
}

export type ShowProgress = (progress: ClusterProgress) => void;

/** A node that does not respond, or that is not written to; all other nodes work. */
export interface NodeFault {
  /** `host:port` */
  readonly node: string;
  /** `away`: it does not respond. `unsafe`: it responds, but a write there might be lost. */
  readonly kind: 'away' | 'unsafe';
  /** A sentence that names the node, what is wrong and what to do. */
  readonly told: string;
}
