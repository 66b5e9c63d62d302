/** Whose query is next: data spaces take turns, and none of them takes the last free connection from all others. */
import { busyError } from './failure.ts';

export interface TurnsOptions {
  /** How many run at once. */
  readonly runningMax: number;
  /** How many may wait in all, and how long one of them. */
  readonly waitingMax: number;
  readonly waitTimeMs: number;
}

interface Waiter {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

export class Turns {
  readonly #options: TurnsOptions;
  /** By data space; the one whose turn is next comes first. */
  readonly #queues = new Map<number, Waiter[]>();
  readonly #running = new Map<number, number>();
  readonly #idle: (() => void)[] = [];
  #free: number;
  #waiting = 0;
  #isClosing = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#free = options.runningMax;
  }

  /** @throws ServiceError `busy` when too many wait, or this one waited too long; what `work` throws */
  async run<R>(spaceId: number, work: () => Promise<R>): Promise<R> {
    if (this.#isClosing) throw busyError('The service is stopping.');
    if (this.#queues.has(spaceId) || this.#mustWait(spaceId)) await this.#wait(spaceId);
    else this.#take(spaceId);
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
    return this.#waiting === 0 && this.#running.size === 0;
  }

  #mustWait(spaceId: number): boolean {
    return this.#free === 0 || (this.#free === 1 && this.#running.has(spaceId));
  }

  #take(spaceId: number): void {
    this.#free--;
    this.#running.set(spaceId, (this.#running.get(spaceId) ?? 0) + 1);
  }

  #giveBack(spaceId: number): void {
    this.#free++;
    const left = (this.#running.get(spaceId) ?? 1) - 1;
    if (left === 0) this.#running.delete(spaceId);
    else this.#running.set(spaceId, left);
    this.#startWaiting();
    if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #wait(spaceId: number): Promise<void> {
    const { waitingMax, waitTimeMs } = this.#options;
    if (this.#waiting >= waitingMax) {
      throw busyError(`More than ${waitingMax} queries are waiting (setting readsQueuedMax); try again in a second.`);
    }
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
      this.#take(spaceId);
      start();
    }
  }

  #next(): [number, Waiter[]] | undefined {
    if (this.#free === 0) return undefined;
    for (const entry of this.#queues) if (!this.#mustWait(entry[0])) return entry;
    return undefined;
  }
}
