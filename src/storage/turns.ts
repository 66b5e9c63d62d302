/** Runs the work of data spaces in turn from a fair queue, without grouping it. */
import type { QueueLimit } from './busy.ts';
import { FairQueue, sharedSlots } from './fair-queue.ts';
import type { Queued } from './queue-line.ts';

export interface TurnsOptions {
  /** How many may run at once. */
  readonly runningMax: number;
  /** How many of one data space may run at once. */
  readonly perOwnerMax?: number;
  /** Without it, the queue is limited elsewhere. */
  readonly limit?: QueueLimit;
  /** The error for work whose deadline passed before it began. */
  late(): Error;
}

interface Turn extends Queued {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** The queue entry of a request that shares nothing with others and is not grouped. */
export const alone = { keys: [], kind: null, items: 1, bytes: 0 } as const;

export class Turns<Owner extends number | string = number> {
  readonly #queue: FairQueue<Turn, Owner>;

  constructor({ runningMax, perOwnerMax = Number.POSITIVE_INFINITY, limit, late }: TurnsOptions) {
    this.#queue = new FairQueue<Turn, Owner>({
      slots: sharedSlots(runningMax),
      perOwnerMax,
      ...(limit === undefined ? {} : { limit }),
      start: (_, [turn]) => turn?.begin(),
      late: (_, turns) => {
        for (const { refuse } of turns) refuse(late());
      },
    });
  }

  /**
   * Begins the work when its turn comes, possibly at once.
   * @param deadline a time of `performance.now()` until which it may wait for its turn
   * @throws ServiceError `busy` when too many wait, or the service is stopping; the error from `late`; what `work`
   * throws
   */
  run<Result>(owner: Owner, deadline: number, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const turn: Turn = {
        ...alone,
        deadline,
        begin: () => resolve(this.#execute(owner, turn, work)),
        refuse: reject,
      };
      this.#queue.push(owner, turn);
    });
  }

  /** See `FairQueue.takeMostWaiting`. */
  takeMostWaiting(): number {
    return this.#queue.takeMostWaiting();
  }

  /** Resolves when all work that was queued is done. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  async #execute<Result>(owner: Owner, turn: Turn, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } finally {
      this.#queue.done(owner, [turn]);
    }
  }
}
