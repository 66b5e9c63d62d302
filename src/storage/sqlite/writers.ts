/**
 * Group commit, the part on the main thread: one queue per file. If no commit of the file is under way, waiting
 * requests go to the file's writer thread at once, as one group; requests that arrive meanwhile join the next group. A
 * change of tables with records may take long, so it gets its own thread, and only its data space waits for it. A
 * request that has waited too long is removed from its queue and refused; requests sent to a thread are always answered
 * by that thread.
 */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import { Durations } from '../../durations.ts';
import { ServiceError } from '../../errors.ts';
import { TimeSlice } from '../../time-slices.ts';
import { busyError } from '../busy.ts';
import { type Activity, itemsIn } from '../contract.ts';
import { FairQueue } from '../fair-queue.ts';
import type { GroupBounds, Queued } from '../queue-line.ts';
import { Turns } from '../turns.ts';
import { errorOf } from './failure.ts';
import type { FileName } from './folder.ts';
import { largeFromBytes, messagesOf } from './items-ahead.ts';
import type { ItemsAhead, WriteAnswers, WriteGroup, WriteGroupAnswer, WriteRequest } from './messages.ts';
import type { Share } from './open-files.ts';
import { Thread } from './thread.ts';
import type { WriterData } from './writer-thread.ts';

/** Limits on one group, so that its commit stays short and it is copied to the thread quickly. */
const groupBounds: GroupBounds = { requests: 512, items: 2_000, bytes: 4 * 1024 * 1024 };

/** Memory for pages and for sorting in a thread that changes tables. */
const builderShare: Share = { filesMax: 1, pageCacheBytes: 8 * 1024 * 1024 };

interface Waiting extends Queued {
  readonly request: WriteRequest;
  /** The thread for this change of tables; null for requests that the file's thread commits. */
  readonly builder: Committer | null;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

type Committer = Thread<WriteGroup | ItemsAhead, WriteGroupAnswer>;

/** The part of a file's work that a thread is doing. */
interface UnderWay {
  readonly thread: Committer;
  readonly group: readonly Waiting[];
}

export interface WriterOptions {
  readonly folder: string;
  readonly installation: string;
  /** Share of each thread for data spaces. */
  readonly share: Share;
  /** Share of the thread for directory and logs. */
  readonly maintenanceShare: Share;
  readonly settings: Pick<Settings, 'writerThreads' | 'writesQueuedMax' | 'writeTimeMs' | 'tableChangeTimeMs'>;
  readonly log: Pick<Logger, 'error'>;
}

type RequestOf<Kind extends WriteRequest['kind']> = Extract<WriteRequest, { kind: Kind }>;

export class Writers {
  /** A file has one group under way at a time, so a thread's own queue serves its files in turn. */
  readonly #queue: FairQueue<Waiting, FileName>;
  /** Changes of tables that may take long; at most as many run at a time as there are writer threads. */
  readonly #changes: Turns<FileName>;
  readonly #underWay = new Map<FileName, UnderWay>();
  readonly #shards: readonly Committer[];
  /** Directory and logs have their own thread, so they neither slow the data down nor wait for them. */
  readonly #maintenance: Committer;
  readonly #options: WriterOptions;
  #commits = new Durations();

  constructor(options: WriterOptions) {
    this.#options = options;
    const { share, maintenanceShare, settings } = options;
    this.#shards = Array.from({ length: settings.writerThreads }, () => this.#thread({ share, use: 'write' }));
    this.#maintenance = this.#thread({ share: maintenanceShare, use: 'write' });
    const limit = { what: 'writes', max: settings.writesQueuedMax } as const;
    this.#queue = new FairQueue<Waiting, FileName>({
      perOwnerMax: 1,
      group: groupBounds,
      limit,
      start: (file, group) => this.#send(file, group),
      late: (_, late) => {
        for (const { builder, reject } of late) {
          reject(this.#lateError(builder === null ? 'writeTimeMs' : 'tableChangeTimeMs'));
        }
      },
    });
    this.#changes = new Turns<FileName>({
      runningMax: settings.writerThreads,
      perOwnerMax: 1,
      limit,
      late: () => this.#lateError('tableChangeTimeMs'),
    });
  }

  /**
   * Resolves after the commit.
   * @throws ServiceError `busy` when too many requests wait, or this one waited too long and was not begun; the error
   * of the request itself
   */
  write<Kind extends WriteRequest['kind']>(file: FileName, request: RequestOf<Kind>): Promise<WriteAnswers[Kind]> {
    const { writeTimeMs, tableChangeTimeMs } = this.#options.settings;
    const now = performance.now();
    if (mayTakeLong(request)) return this.#change(file, request, now + tableChangeTimeMs);
    return new Promise((resolve, reject) => {
      this.#queue.push(file, waitingOf(request, now + writeTimeMs, null, resolve, reject));
    });
  }

  /** Commits of the data spaces' files, but waiting requests of all files. */
  takeActivity(): Pick<Activity, 'commits' | 'writesWaiting'> {
    const commits = this.#commits;
    this.#commits = new Durations();
    return { commits, writesWaiting: this.#queue.takeMostWaiting() };
  }

  /** Resolves when everything is answered and the threads have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#queue.close(), this.#changes.close()]);
    await Promise.all([...this.#shards, this.#maintenance].map((thread) => thread.end()));
  }

  /** When its turn comes, the change runs after the group under way and before the waiting writes. */
  #change<Answer>(file: FileName, request: WriteRequest, deadline: number): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const turn = this.#changes.run(file, deadline, async () => {
        const builder = this.#thread({ share: builderShare, use: 'build' });
        const made = new Promise<Answer>((resolve, reject) => {
          this.#queue.pushFirst(file, waitingOf(request, deadline, builder, resolve, reject));
        });
        resolve(made);
        await made.catch(() => {});
        await builder.end();
      });
      turn.catch(reject);
    });
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

  #send(file: FileName, group: readonly Waiting[]): void {
    const thread = group[0]?.builder ?? this.#threadOf(file);
    const underWay: UnderWay = { thread, group };
    this.#underWay.set(file, underWay);
    const requests = group.map(({ request }) => request);
    const refuse = (error: unknown) => {
      if (this.#underWay.get(file) === underWay) this.#settle(file, ({ reject }) => reject(internal(error)));
    };
    if (group.some(({ bytes }) => bytes >= largeFromBytes)) {
      this.#sendByPortion({ file, requests }, underWay).catch(refuse);
      return;
    }
    try {
      thread.post({ file, requests });
    } catch (error) {
      refuse(error);
    }
  }

  async #sendByPortion(whole: WriteGroup, underWay: UnderWay): Promise<void> {
    const slice = new TimeSlice();
    for (const message of messagesOf(whole)) {
      if (slice.isOver) await slice.next();
      // The thread has crashed meanwhile, and the group was answered.
      if (this.#underWay.get(whole.file) !== underWay) return;
      underWay.thread.post(message);
    }
  }

  #answered({ file, answers, commitMs }: WriteGroupAnswer): void {
    if (typeof file === 'number' && commitMs !== null) this.#commits.count(commitMs);
    this.#settle(file, ({ resolve, reject }, index) => {
      const answer = answers[index];
      if (answer !== undefined && 'value' in answer) resolve(answer.value as never);
      else if (answer !== undefined) reject(errorOf(answer.failure));
      else reject(internal(new Error('The writer thread left the request without an answer.')));
    });
  }

  #settle(file: FileName, settle: (waiting: Waiting, index: number) => void): void {
    const { group } = this.#underWay.get(file) as UnderWay;
    this.#underWay.delete(file);
    // The next group is started first, so that its commit runs while these answers are processed.
    this.#queue.done(file, group);
    for (const [index, waiting] of group.entries()) settle(waiting, index);
  }

  #crashed(error: Error, crashed: Committer): void {
    this.#options.log.error({ err: error }, 'A writer thread crashed; the outcome of its commit is unknown.');
    for (const [file, { thread }] of [...this.#underWay]) {
      if (thread === crashed) this.#settle(file, ({ reject }) => reject(internal(error)));
    }
  }

  /** The error for requests that were sent to no thread, and so are certainly not written. */
  #lateError(setting: 'writeTimeMs' | 'tableChangeTimeMs'): ServiceError {
    const timeMs = this.#options.settings[setting];
    return busyError(
      `The database did not begin the write within ${timeMs} ms (setting ${setting}), and nothing was written; try again in a second.`,
    );
  }
}

/** Whether it changes tables that hold records: each of these may be read completely, or dropped. */
function mayTakeLong(request: WriteRequest): boolean {
  if (request.kind !== 'define') return false;
  return request.change.steps.some(({ kind }) => kind !== 'createTable');
}

function internal(cause: unknown): ServiceError {
  return new ServiceError('internal', 'The database failed.', { cause });
}

const noKeys: readonly string[] = [];

/** All requests of a file can be committed together, in order. */
function waitingOf(
  request: WriteRequest,
  deadline: number,
  builder: Committer | null,
  resolve: Waiting['resolve'],
  reject: Waiting['reject'],
): Waiting {
  const batch = request.kind === 'batch' ? request.batch : null;
  const items = batch === null ? 1 : itemsIn(batch);
  const bytes = batch?.weightBytes ?? 0;
  return { keys: noKeys, kind: 'write', items, bytes, deadline, request, builder, resolve, reject };
}
