/**
 * Decides which writes start when. Data spaces take turns; each has a few commits under way, within its share
 * (`shares.ts`). A timer refuses writes whose deadline passes in the queue.
 */
import { Shares } from './shares.ts';
import { type GroupBounds, type Waiting, WriteQueue } from './write-queue.ts';

/** Bounds on one merged statement, so that it stays short. */
const groupBounds: GroupBounds = { requests: 256, items: 1_000, bytes: 4 * 1024 * 1024 };

/** How many commits of one data space are under way at a time, at most. */
const lanesPerSpace = 3;

/**
 * What arrives while a commit of many is under way goes out after it, all together (a third more in a second than at
 * once), unless that takes longer than this, for a slow disk or because it waits for others: then it is overtaken.
 */
const overtake = { requests: 8, afterMs: 5 };

export interface Space<Entry extends Waiting> {
  readonly id: number;
  readonly queue: WriteQueue<Entry>;
  /** Taken from the queue and not done with: next to be carried out, each by itself. */
  readonly alone: Entry[];
}

interface ScheduledSpace<Entry extends Waiting> extends Space<Entry> {
  running: number;
  /** Of `performance.now()`: from then on, what is under way is not waited for. */
  overtakeAt: number;
  timer: NodeJS.Timeout | undefined;
}

export interface WriteSchedulerOptions<Entry extends Waiting> {
  /** How many may be under way at a time, over all data spaces. */
  readonly max: number;
  /** Carries out a group of one kind. It releases each from the queue, or puts it with those that go alone. */
  merged(space: Space<Entry>, group: readonly Entry[]): Promise<void>;
  /** Carries out one, and releases it from the queue. */
  alone(space: Space<Entry>, entry: Entry): Promise<void>;
  /** Refuses writes whose deadline passed before they started, and releases them from the queue. */
  late(space: Space<Entry>, entries: readonly Entry[]): void;
  /** How often `late` is looked for. One timer for all costs less than one for each write. */
  readonly lateCheckMs: number;
}

export class WriteScheduler<Entry extends Waiting> {
  readonly #options: WriteSchedulerOptions<Entry>;
  readonly #spaces = new Map<number, ScheduledSpace<Entry>>();
  /** Data spaces that may have something to start, in the order of their turns. */
  readonly #ready = new Set<ScheduledSpace<Entry>>();
  readonly #shares: Shares;
  #lateCheck: NodeJS.Timeout | undefined;

  constructor(options: WriteSchedulerOptions<Entry>) {
    this.#options = options;
    this.#shares = new Shares(options.max);
  }

  push(spaceId: number, entry: Entry): void {
    let space = this.#spaces.get(spaceId);
    if (space === undefined) {
      space = { id: spaceId, queue: new WriteQueue(), alone: [], running: 0, overtakeAt: 0, timer: undefined };
      this.#spaces.set(spaceId, space);
    }
    space.queue.push(entry);
    this.#lateCheck ??= this.#startLateCheck();
    this.#wake(space);
  }

  #wake(space: ScheduledSpace<Entry>): void {
    this.#ready.add(space);
    for (const ready of this.#ready) {
      if (!this.#shares.hasFree) return;
      // To the end of the line.
      this.#ready.delete(ready);
      if (this.#start(ready)) this.#ready.add(ready);
    }
  }

  /** @returns whether there may be more to start */
  #start(space: ScheduledSpace<Entry>): boolean {
    if (space.running >= lanesPerSpace || !this.#shares.isOpenTo(space.id)) return false;
    const alone = space.alone.shift();
    if (alone !== undefined) {
      this.#run(space, this.#options.alone(space, alone));
      return true;
    }
    if (!this.#isTimeToStart(space)) return false;
    const group = space.queue.take(groupBounds);
    const [first] = group;
    if (first === undefined) return false;
    if (group.length >= overtake.requests) space.overtakeAt = performance.now() + overtake.afterMs;
    this.#run(space, first.kind === null ? this.#options.alone(space, first) : this.#options.merged(space, group));
    return true;
  }

  #run(space: ScheduledSpace<Entry>, work: Promise<void>): void {
    space.running++;
    this.#shares.take(space.id);
    void work.finally(() => {
      space.running--;
      this.#shares.giveBack(space.id);
      this.#forgetIfIdle(space);
      this.#wake(space);
    });
  }

  #forgetIfIdle(space: ScheduledSpace<Entry>): void {
    if (space.running === 0 && space.queue.length === 0 && space.alone.length === 0) this.#spaces.delete(space.id);
  }

  #startLateCheck(): NodeJS.Timeout {
    const look = () => {
      const now = performance.now();
      for (const space of this.#spaces.values()) this.#giveUpLate(space, now);
      this.#lateCheck = this.#spaces.size > 0 ? this.#startLateCheck() : undefined;
    };
    return setTimeout(look, this.#options.lateCheckMs).unref();
  }

  #giveUpLate(space: ScheduledSpace<Entry>, now: number): void {
    const late = space.queue.takeLate(now);
    for (const entry of space.alone.splice(0)) (entry.deadline <= now ? late : space.alone).push(entry);
    if (late.length === 0) return;
    this.#options.late(space, late);
    this.#forgetIfIdle(space);
    // Writes that waited for them may start now.
    this.#wake(space);
  }

  #isTimeToStart(space: ScheduledSpace<Entry>): boolean {
    if (space.running === 0 || space.queue.length === 0) return true;
    const leftMs = space.overtakeAt - performance.now();
    if (leftMs <= 0) return true;
    space.timer ??= setTimeout(() => {
      space.timer = undefined;
      this.#wake(space);
    }, leftMs);
    return false;
  }
}
