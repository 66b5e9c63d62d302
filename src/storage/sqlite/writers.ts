/**
 * Group commit, the part on the main thread: one queue per file. While no commit of the file is under way, what waits
 * goes to the file's writer thread at once, as one group; what arrives meanwhile joins the next group. A change of tables
 * that hold records may take long, so it gets a thread of its own: only its own data space waits for it. What has waited
 * for too long is taken out of its queue and refused; what was sent to a thread is always answered by that thread.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { waitingRefusal } from '../waiting.ts';
import { busyError, errorOf, stopping } from './failure.ts';
import type { FileName } from './folder.ts';
import type { WriteAnswers, WriteGroup, WriteGroupAnswer, WriteRequest } from './messages.ts';
import type { Share } from './open-files.ts';
import { Thread } from './thread.ts';
import type { WriterData } from './writer-thread.ts';

/** Bounds on one group, so that its commit stays short, and it is copied to the thread quickly. */
const groupRequestsMax = 512;
const groupItemsMax = 2_000;
const groupWeightBytesMax = 4 * 1024 * 1024;

/** Memory for pages, and for sorting, of a thread that changes tables. */
const builderShare: Share = { filesMax: 1, pageCacheBytes: 8 * 1024 * 1024 };

interface Waiting {
  readonly request: WriteRequest;
  /** Of `performance.now()`: until then it may wait to be sent. */
  readonly deadline: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type Committer = Thread<WriteGroup, WriteGroupAnswer>;

interface FileQueue {
  readonly waiting: Waiting[];
  /** Changes of tables that may take long, which wait for a thread of their own. */
  readonly changes: Waiting[];
  underWay: readonly Waiting[];
  /** The thread that has what is under way. */
  thread: Committer | null;
}

export interface WriterOptions {
  readonly folder: string;
  readonly installation: string;
  /** Of each thread for data spaces. */
  readonly share: Share;
  /** Of the thread for directory and logs. */
  readonly maintenanceShare: Share;
  readonly settings: Pick<Settings, 'writerThreads' | 'writesQueuedMax' | 'writeTimeMs' | 'tableChangeTimeMs'>;
  readonly log: Pick<Logger, 'error'>;
}

type RequestOf<Kind extends WriteRequest['kind']> = Extract<WriteRequest, { kind: Kind }>;

export class Writers {
  readonly #queues = new Map<FileName, FileQueue>();
  readonly #shards: readonly Committer[];
  /** Directory and logs have a thread of their own, so that neither slows the data nor waits for them. */
  readonly #maintenance: Committer;
  /** Each makes one change of tables and ends. */
  readonly #builders = new Map<Committer, Promise<void> | null>();
  readonly #options: WriterOptions;
  readonly #idle: (() => void)[] = [];
  #looking: NodeJS.Timeout | null = null;
  #requests = 0;
  #isClosing = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    const { share, maintenanceShare, settings } = options;
    this.#shards = Array.from({ length: settings.writerThreads }, () => this.#thread({ share, use: 'write' }));
    this.#maintenance = this.#thread({ share: maintenanceShare, use: 'write' });
  }

  /**
   * Resolves after the commit.
   * @throws ServiceError `busy` when too many requests wait, or this one waited for too long and was not begun; what the
   *   request itself failed with
   */
  write<Kind extends WriteRequest['kind']>(file: FileName, request: RequestOf<Kind>): Promise<WriteAnswers[Kind]> {
    if (this.#isClosing) return Promise.reject(stopping());
    const { writesQueuedMax, writeTimeMs, tableChangeTimeMs } = this.#options.settings;
    let queue = this.#queues.get(file);
    const own = queue === undefined ? 0 : queue.waiting.length + queue.changes.length + queue.underWay.length;
    const refusal = waitingRefusal('writes', writesQueuedMax, this.#requests, own);
    if (refusal !== null) return Promise.reject(refusal);
    this.#requests++;
    if (queue === undefined) {
      queue = { waiting: [], changes: [], underWay: [], thread: null };
      this.#queues.set(file, queue);
    }
    const { promise, resolve, reject } = Promise.withResolvers<WriteAnswers[Kind]>();
    const isLong = mayTakeLong(request);
    const deadline = performance.now() + (isLong ? tableChangeTimeMs : writeTimeMs);
    (isLong ? queue.changes : queue.waiting).push({ request, deadline, resolve, reject });
    this.#sendNext(file, queue);
    return promise;
  }

  /** Resolves when everything is answered and the threads have ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#requests > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    if (this.#looking !== null) clearInterval(this.#looking);
    await Promise.all([...this.#shards, this.#maintenance].map((thread) => thread.end()));
    await Promise.all(this.#builders.values());
  }

  #thread({ share, use }: Pick<WriterData, 'share' | 'use'>): Committer {
    const { folder, installation } = this.#options;
    const data: WriterData = { folder, installation, share, use };
    const thread: Committer = new Thread(new URL('./writer-thread.ts', import.meta.url), data, {
      answered: (answer) => this.#answered(answer),
      crashed: (error) => this.#crashed(error, thread),
    });
    return thread;
  }

  #threadOf(file: FileName): Committer {
    const thread = typeof file === 'number' ? this.#shards[file % this.#shards.length] : this.#maintenance;
    if (thread === undefined) throw new Error(`No writer thread has the file ${file}.`);
    return thread;
  }

  /**
   * One group per file at a time, so that a thread's own queue serves its files in turn. Writes come before a change of
   * tables, except those that came while the last group was under way: neither keeps the other waiting for ever.
   */
  #sendNext(file: FileName, queue: FileQueue, isChangesTurn = false): void {
    if (queue.underWay.length === 0) {
      const mayChange = queue.changes.length > 0 && this.#builders.size < this.#options.settings.writerThreads;
      if (mayChange && (isChangesTurn || queue.waiting.length === 0)) {
        this.#send(file, queue, queue.changes.splice(0, 1), this.#builder());
      } else if (queue.waiting.length > 0) {
        this.#send(file, queue, queue.waiting.splice(0, groupLength(queue.waiting)), this.#threadOf(file));
      }
    }
    if (queue.waiting.length + queue.changes.length > 0) {
      this.#looking ??= setInterval(() => this.#refuseLate(), this.#options.settings.writeTimeMs / 4).unref();
    } else if (queue.underWay.length === 0) {
      this.#queues.delete(file);
    }
  }

  #send(file: FileName, queue: FileQueue, group: readonly Waiting[], thread: Committer): void {
    queue.underWay = group;
    queue.thread = thread;
    try {
      thread.post({ file, requests: group.map(({ request }) => request) });
    } catch (error) {
      this.#settle(file, queue, ({ reject }) => reject(internal(error)));
    }
  }

  #builder(): Committer {
    const builder = this.#thread({ share: builderShare, use: 'build' });
    this.#builders.set(builder, null);
    return builder;
  }

  /** Lets the thread end in the background, if it was made for one change; another one may begin then. */
  #release(thread: Committer | null): void {
    if (thread === null || !this.#builders.has(thread)) return;
    const ended = thread.end().then(() => {
      this.#builders.delete(thread);
      for (const [file, queue] of this.#queues) if (queue.changes.length > 0) this.#sendNext(file, queue);
    });
    this.#builders.set(thread, ended);
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
    const { underWay: settled, thread } = queue;
    queue.underWay = [];
    queue.thread = null;
    this.#requests -= settled.length;
    this.#release(thread);
    // The next group goes first: its commit runs while the answers of this one are worked on.
    this.#sendNext(file, queue, !this.#wasChange(settled));
    for (const [index, waiting] of settled.entries()) settle(waiting, index);
    this.#tellIdle();
  }

  #wasChange(settled: readonly Waiting[]): boolean {
    return settled[0] !== undefined && mayTakeLong(settled[0].request);
  }

  #crashed(error: Error, thread: Committer): void {
    this.#options.log.error({ err: error }, 'A writer thread crashed. What it was committing may be saved or not.');
    for (const [file, queue] of [...this.#queues]) {
      if (queue.thread === thread) this.#settle(file, queue, ({ reject }) => reject(internal(error)));
    }
  }

  /** No thread has them, so they are certain not to be written. */
  #refuseLate(): void {
    const now = performance.now();
    for (const [file, queue] of [...this.#queues]) {
      for (const line of [queue.waiting, queue.changes]) {
        const inTime = line.findIndex(({ deadline }) => deadline > now);
        const late = line.splice(0, inTime === -1 ? line.length : inTime);
        this.#requests -= late.length;
        for (const { request, reject } of late) reject(this.#lateError(request));
      }
      if (queue.waiting.length + queue.changes.length + queue.underWay.length === 0) this.#queues.delete(file);
    }
    if (this.#requests === 0 && this.#looking !== null) {
      clearInterval(this.#looking);
      this.#looking = null;
    }
    this.#tellIdle();
  }

  #lateError(request: WriteRequest): ServiceError {
    const setting = mayTakeLong(request) ? 'tableChangeTimeMs' : 'writeTimeMs';
    const timeMs = this.#options.settings[setting];
    return busyError(
      `The database did not get to the write within ${timeMs} ms (setting ${setting}), and nothing was written; try again in a second.`,
    );
  }

  #tellIdle(): void {
    if (this.#requests === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** Whether it is a change of tables that hold records: each of these may be read from end to end, or dropped. */
function mayTakeLong(request: WriteRequest): boolean {
  if (request.kind !== 'define') return false;
  const { reset, newColumns, newIndexes } = request.change;
  return reset || newColumns.length > 0 || newIndexes.length > 0;
}

function internal(cause: unknown): ServiceError {
  return new ServiceError('internal', 'The database failed.', { cause });
}

function groupLength(waiting: readonly Waiting[]): number {
  let items = 0;
  let length = 0;
  let weightBytes = 0;
  for (const { request } of waiting) {
    if (request.kind === 'batch') weightBytes += request.batch.weightBytes ?? 0;
    items += request.kind === 'batch' ? request.batch.change.items.length : 1;
    const isFull = length >= groupRequestsMax || items > groupItemsMax || weightBytes > groupWeightBytesMax;
    if (length > 0 && isFull) break;
    length++;
  }
  return length;
}
