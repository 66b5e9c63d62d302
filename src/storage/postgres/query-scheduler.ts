/** Decides which query starts next: data spaces take turns, within their shares of the connections (`shares.ts`). */
import { waitingRefusal } from '../waiting.ts';
import { busyError } from './failure.ts';
import { Shares } from './shares.ts';

export interface QuerySchedulerOptions {
  /** How many run at once. */
  readonly runningMax: number;
  /** How many may wait in all (`storage/waiting.ts`), and how long one of them. */
  readonly waitingMax: number;
  readonly waitTimeMs: number;
}

interface Waiter {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

export class QueryScheduler {
  readonly #options: QuerySchedulerOptions;
  /** By data space; the one whose turn is next comes first. */
  readonly #queues = new Map<number, Waiter[]>();
  readonly #shares: Shares;
  readonly #idle: (() => void)[] = [];
  #waiting = 0;
  #isClosing = false;

  constructor(options: QuerySchedulerOptions) {
    this.#options = options;
    this.#shares = new Shares(options.runningMax);
  }

  /**
   * @param waitTimeMs how long this one may wait
   * @throws ServiceError `busy` when too many wait, or this one waited too long; what `work` throws
   */
  async run<R>(spaceId: number, work: () => Promise<R>, waitTimeMs = this.#options.waitTimeMs): Promise<R> {
    if (this.#isClosing) throw busyError('The service is stopping.');
    if (this.#queues.has(spaceId) || !this.#shares.isOpenTo(spaceId)) await this.#wait(spaceId, waitTimeMs);
    else this.#shares.take(spaceId);
    try {
      return await work();
    } finally {
      this.#giveBack(spaceId);
    }
  }

  /** Resolves when everything that came is done. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #isIdle(): boolean {
    return this.#waiting === 0 && this.#shares.isIdle;
  }

  #giveBack(spaceId: number): void {
    this.#shares.giveBack(spaceId);
    this.#startWaiting();
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #wait(spaceId: number, waitTimeMs: number): Promise<void> {
    const { waitingMax } = this.#options;
    const own = this.#queues.get(spaceId)?.length ?? 0;
    const refusal = waitingRefusal('queries', waitingMax, this.#waiting, own);
    if (refusal !== null) throw refusal;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#leave(spaceId, waiter);
      const message = `The query waited for its turn for ${waitTimeMs} ms (setting queryTimeMs); try again in a second.`;
      reject(busyError(message));
    }, waitTimeMs);
    const waiter = { start: resolve, timer };
    const queue = this.#queues.get(spaceId);
    if (queue === undefined) this.#queues.set(spaceId, [waiter]);
    else queue.push(waiter);
    this.#waiting++;
    return promise;
  }

  #leave(spaceId: number, waiter: Waiter): void {
    const queue = this.#queues.get(spaceId) ?? [];
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.#queues.delete(spaceId);
    this.#waiting--;
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [spaceId, queue] = next;
      const { start, timer } = queue.shift() as Waiter;
      clearTimeout(timer);
      this.#waiting--;
      // Put in anew, it comes last.
      this.#queues.delete(spaceId);
      if (queue.length > 0) this.#queues.set(spaceId, queue);
      this.#shares.take(spaceId);
      start();
    }
  }

  #next(): [number, Waiter[]] | undefined {
    if (!this.#shares.hasFree) return undefined;
    for (const entry of this.#queues) if (this.#shares.isOpenTo(entry[0])) return entry;
    return undefined;
  }
}
