/**
 * Checks for the main thread whether the disk responds: work that may wait for the disk runs in a thread first
 * (`disk-thread.ts`).
 */
import type { Settings } from '../../config.ts';
import { busyError, stopping } from '../busy.ts';
import type { DiskRequest } from './disk-thread.ts';
import { errorOf } from './failure.ts';
import type { Answer } from './messages.ts';
import type { ReadFolder } from './select.ts';
import { Thread } from './thread.ts';

export interface DiskOptions extends ReadFolder {
  readonly settings: Pick<Settings, 'diskTimeMs'>;
}

/** How long the result of a probe is reused. */
const probeLifeMs = 1_000;

/** Additional time for the thread to start. */
const startMsMax = 5_000;

interface Asked {
  /** The time of the request, by `performance.now()`. */
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Disk {
  readonly #options: DiskOptions;
  readonly #thread: Thread<DiskRequest, Answer<null>>;
  /** In the order of the thread's answers, including requests that were refused meanwhile. */
  readonly #asked: Asked[] = [];
  readonly #opening = new Map<number, Promise<void>>();
  #probe: Promise<void> | null = null;
  #looking: NodeJS.Timeout | null = null;
  /** Becomes 0 after the thread's first answer. */
  #startMs = startMsMax;
  #isClosing = false;

  constructor(options: DiskOptions) {
    this.#options = options;
    const { folder, installation } = options;
    const source: ReadFolder = { folder, installation };
    this.#thread = new Thread(new URL('./disk-thread.ts', import.meta.url), source, {
      answered: (answer) => {
        this.#startMs = 0;
        const asked = this.#asked.shift();
        if ('value' in answer) asked?.resolve();
        else asked?.reject(errorOf(answer.failure));
      },
      crashed: (error) => {
        this.#startMs = startMsMax;
        for (const { reject } of this.#asked.splice(0)) reject(error);
      },
    });
  }

  /**
   * Resolves when the data space's file can be opened without waiting for the disk.
   * @throws ServiceError the error of opening it; `busy` when the disk does not respond
   */
  opened(spaceId: number): Promise<void> {
    let opening = this.#opening.get(spaceId);
    if (opening === undefined) {
      opening = this.#ask({ open: spaceId }).finally(() => this.#opening.delete(spaceId));
      this.#opening.set(spaceId, opening);
    }
    return opening;
  }

  /** Resolves when the disk has written and synced a probe. @throws ServiceError `busy` when it does not */
  probe(): Promise<void> {
    if (this.#probe === null) {
      const forget = () => {
        this.#probe = null;
      };
      this.#probe = this.#ask({ probe: true });
      this.#probe.then(() => setTimeout(forget, probeLifeMs).unref(), forget);
    }
    return this.#probe;
  }

  /** Resolves when the thread has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.allSettled([...this.#opening.values(), this.#probe]);
    if (this.#looking !== null) clearInterval(this.#looking);
    await this.#thread.end();
  }

  #ask(request: DiskRequest): Promise<void> {
    if (this.#isClosing) return Promise.reject(stopping());
    const since = performance.now();
    const oldest = this.#asked[0];
    if (oldest !== undefined && this.#isLate(oldest, since)) return Promise.reject(this.#lateError());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#asked.push({ since, resolve, reject });
    this.#thread.post(request);
    this.#looking ??= setInterval(() => this.#look(), this.#options.settings.diskTimeMs / 4).unref();
    return promise;
  }

  #look(): void {
    const now = performance.now();
    for (const asked of this.#asked) if (this.#isLate(asked, now)) asked.reject(this.#lateError());
    if (this.#asked.length > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }

  #isLate({ since }: Asked, now: number): boolean {
    return now - since > this.#options.settings.diskTimeMs + this.#startMs;
  }

  #lateError(): Error {
    const { diskTimeMs } = this.#options.settings;
    return busyError(`The disk has not answered for ${diskTimeMs} ms (setting diskTimeMs); try again in a second.`);
  }
}
