/**
 * Large results are built one at a time, data spaces taking turns; the rows of the others wait in the database, and
 * their connections are paused. Several at once would use the main thread and the cores at the expense of all other
 * requests, and hold as many results in memory.
 */
import { largeTurnIdleMs, outOfTime, type ResultLimits } from '../answer-arrays.ts';
import { lateQuery } from '../busy.ts';
import { Turns } from '../turns.ts';
import type { RowFlow } from './statement-run.ts';

/** Whose turn it is. */
export type LargeTurns = Pick<Turns, 'run'>;

/** The number of connections bounds how many wait. */
export function newLargeTurns({ queryTimeMs }: Pick<ResultLimits, 'queryTimeMs'>): LargeTurns {
  return new Turns({ runningMax: 1, late: () => lateQuery(queryTimeMs) });
}

/** One result, which may become large. */
export class LargeResult {
  /** The flow of the result's rows. Must be set before the first row. */
  flow: RowFlow | null = null;
  readonly #turns: LargeTurns;
  readonly #spaceId: number;
  readonly #limits: ResultLimits;
  readonly #deadline: number;
  #state: 'none' | 'waits' | 'has the turn' | 'ended' = 'none';
  #leave: () => void = () => {};
  #idle: NodeJS.Timeout | undefined;

  constructor(turns: LargeTurns, spaceId: number, limits: ResultLimits) {
    this.#turns = turns;
    this.#spaceId = spaceId;
    this.#limits = limits;
    this.#deadline = performance.now() + limits.queryTimeMs;
  }

  /** To be called for each of its pieces. Its rows are paused until its turn comes, or its time is over. */
  grew(): void {
    if (this.#state === 'none') this.#wait();
    else if (this.#state === 'has the turn') this.#expectMore();
  }

  /** To be called when it is complete, or failed. */
  end(): void {
    this.#state = 'ended';
    clearTimeout(this.#idle);
    this.#leave();
  }

  #wait(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { flow } = this;
    this.#state = 'waits';
    this.#leave = resolve;
    flow?.hold();
    const begin = () => {
      if (this.#state === 'waits') {
        this.#state = 'has the turn';
        this.#expectMore();
        flow?.release();
      }
      return promise;
    };
    this.#turns.run(this.#spaceId, this.#deadline, begin).catch((error) => flow?.stop(outOfTime(this.#limits, error)));
  }

  #expectMore(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#state = 'none';
      this.#leave();
    }, largeTurnIdleMs);
  }
}
