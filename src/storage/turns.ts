/** Work of data spaces that is carried out in turn, each by itself, from a fair queue. */
import type { QueueLimit } from './busy.ts';
import { FairQueue, sharedSlots } from './fair-queue.ts';
import type { Queued } from './queue-line.ts';

export interface TurnsOptions {
  /** How many are under way at once. */
  readonly runningMax: number;
  /** How many of one data space. */
  readonly perOwnerMax?: number;
  /** Without it, what bounds them stands elsewhere. */
  readonly limit?: QueueLimit;
  /** The error for one whose deadline passed before it began. */
  late(): Error;
}

interface Turn extends Queued {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** What a request that shares nothing with others, and goes by itself, is to a queue. */
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
   * Begins the work at once where it is its turn.
   * @param deadline of `performance.now()`: until then it may wait for its turn
   * @throws ServiceError `busy` when too many wait, or the service is stopping; what `late` made; what `work` throws
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

  /** Resolves when everything that came is done. */
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
