/**
 * Group commit, the part on the main thread: one queue per file. While no commit of the file is under way, what waits
 * goes to the file's writer thread at once, as one group; what arrives meanwhile joins the next group.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { waitingRefusal } from '../waiting.ts';
import { errorOf, stopping } from './failure.ts';
import type { FileName } from './folder.ts';
import type { WriteAnswers, WriteGroup, WriteGroupAnswer, WriteRequest } from './messages.ts';
import type { Share } from './open-files.ts';
import { Thread } from './thread.ts';
import type { WriterData } from './writer-thread.ts';

/** Bounds on one group, so that its commit stays short: requests, and items of their batches. */
const groupRequestsMax = 512;
const groupItemsMax = 2_000;

interface Waiting {
  readonly request: WriteRequest;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

interface FileQueue {
  readonly waiting: Waiting[];
  underWay: readonly Waiting[];
}

export interface WriterOptions {
  readonly folder: string;
  /** Of each thread for data spaces. */
  readonly share: Share;
  /** Of the thread for directory and logs. */
  readonly officeShare: Share;
  readonly settings: Pick<Settings, 'writerThreads' | 'writesQueuedMax'>;
  readonly log: Pick<Logger, 'error'>;
}

type RequestOf<Kind extends WriteRequest['kind']> = Extract<WriteRequest, { kind: Kind }>;

export class Writers {
  readonly #queues = new Map<FileName, FileQueue>();
  readonly #shards: readonly Thread<WriteGroup, WriteGroupAnswer>[];
  /** Directory and logs have a thread of their own, so that neither slows the data nor waits for them. */
  readonly #office: Thread<WriteGroup, WriteGroupAnswer>;
  readonly #options: WriterOptions;
  readonly #idle: (() => void)[] = [];
  #requests = 0;
  #isClosing = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { share, officeShare, settings } = options;
    const shards = settings.writerThreads;
    this.#shards = Array.from({ length: shards }, (_, index) =>
      this.#thread(share, (file) => typeof file === 'number' && file % shards === index),
    );
    this.#office = this.#thread(officeShare, (file) => typeof file !== 'number');
  }

  /**
   * Resolves after the commit.
   * @throws ServiceError `busy` when too many requests wait; what the request itself failed with
   */
  write<Kind extends WriteRequest['kind']>(file: FileName, request: RequestOf<Kind>): Promise<WriteAnswers[Kind]> {
    if (this.#isClosing) return Promise.reject(stopping());
    let queue = this.#queues.get(file);
    const own = queue === undefined ? 0 : queue.waiting.length + queue.underWay.length;
    const refusal = waitingRefusal('writes', this.#options.settings.writesQueuedMax, this.#requests, own);
    if (refusal !== null) return Promise.reject(refusal);
    this.#requests++;
    if (queue === undefined) {
      queue = { waiting: [], underWay: [] };
      this.#queues.set(file, queue);
    }
    const { promise, resolve, reject } = Promise.withResolvers<WriteAnswers[Kind]>();
    queue.waiting.push({ request, resolve, reject });
    if (queue.underWay.length === 0) this.#send(file, queue);
    return promise;
  }

  /** Resolves when everything is answered and the threads have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#requests > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await Promise.all([...this.#shards, this.#office].map((thread) => thread.end()));
  }

  #thread(share: Share, has: (file: FileName) => boolean): Thread<WriteGroup, WriteGroupAnswer> {
    const data: WriterData = { folder: this.#options.folder, share };
    return new Thread(new URL('./writer-thread.ts', import.meta.url), data, {
      answered: (answer) => this.#answered(answer),
      crashed: (error) => this.#crashed(error, has),
    });
  }

  #threadOf(file: FileName): Thread<WriteGroup, WriteGroupAnswer> {
    const thread = typeof file === 'number' ? this.#shards[file % this.#shards.length] : this.#office;
    if (thread === undefined) throw new Error(`No writer thread has the file ${file}.`);
    return thread;
  }

  /** One group per file at a time, so that a thread's own queue serves its files in turn. */
  #send(file: FileName, queue: FileQueue): void {
    queue.underWay = queue.waiting.splice(0, groupLength(queue.waiting));
    try {
      this.#threadOf(file).post({ file, requests: queue.underWay.map(({ request }) => request) });
    } catch (error) {
      this.#settle(file, queue, ({ reject }) => reject(internal(error)));
    }
  }

  #answered({ file, answers }: WriteGroupAnswer): void {
    const queue = this.#queues.get(file);
    if (queue === undefined) return;
    this.#settle(file, queue, ({ resolve, reject }, index) => {
      const answer = answers[index];
      if (answer !== undefined && 'value' in answer) resolve(answer.value as never);
      else if (answer !== undefined) reject(errorOf(answer.failure));
      else reject(internal(new Error('The writer thread left the request without an answer.')));
    });
  }

  #settle(file: FileName, queue: FileQueue, settle: (waiting: Waiting, index: number) => void): void {
    const settled = queue.underWay;
    queue.underWay = [];
    this.#requests -= settled.length;
    // The next group goes first: its commit runs while the answers of this one are worked on.
    if (queue.waiting.length > 0) this.#send(file, queue);
    else this.#queues.delete(file);
    for (const [index, waiting] of settled.entries()) settle(waiting, index);
    if (this.#requests === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #crashed(error: Error, has: (file: FileName) => boolean): void {
    this.#options.log.error({ err: error }, 'A writer thread crashed. What it was committing may be saved or not.');
    for (const [file, queue] of [...this.#queues]) {
      if (has(file)) this.#settle(file, queue, ({ reject }) => reject(internal(error)));
    }
  }
}

function internal(cause: unknown): ServiceError {
  return new ServiceError('internal', 'The database failed.', { cause });
}

function groupLength(waiting: readonly Waiting[]): number {
  let items = 0;
  let length = 0;
  for (const { request } of waiting) {
    items += request.kind === 'batch' ? request.batch.change.items.length : 1;
    if (length > 0 && (length >= groupRequestsMax || items > groupItemsMax)) break;
    length++;
  }
  return length;
}
