/**
 * Requests waiting for the database. Data spaces take turns, so that no request waits behind all those of another data
 * space. Within a data space, its line defines the order (`queue-line.ts`). The number of waiting requests and their
 * waiting time are limited. The engine executes them, in its connections, threads or files.
 */
import { assertFreeSlot, type QueueLimit, stopping } from './busy.ts';
import { type GroupBounds, type Queued, QueueLine } from './queue-line.ts';

/** How often waiting requests are checked for passed deadlines, milliseconds. One timer is cheaper than one each. */
const lateCheckMs = 25;

const oneByOne: GroupBounds = { requests: 1, items: 0, bytes: 0 };

/** What groups run in: connections or threads. */
export interface Slots<Owner> {
  /** Whether any slot is free. @param running how many groups are under way */
  hasFree(running: number): boolean;
  /** Whether the data space may take a free slot. @param own how many of its groups are under way */
  isOpenTo(owner: Owner, own: number, running: number): boolean;
}

/**
 * A data space gets at most half of the slots, and the last free one only if it has none, so that a data space with
 * locked tables does not hold up the others.
 */
export function sharedSlots(max: number): Slots<unknown> {
  const share = Math.ceil(max / 2);
  return {
    hasFree: (running) => running < max,
    isOpenTo: (_, own, running) => own === 0 || (own < share && running < max - 1),
  };
}

export interface FairQueueOptions<Entry extends Queued, Owner> {
  /** When absent, no limit over all data spaces. */
  readonly slots?: Slots<Owner>;
  /** The most groups of one data space that may be under way at a time. */
  readonly perOwnerMax?: number;
  /** When absent, each request is a group by itself. */
  readonly group?: GroupBounds;
  /**
   * While a group of this many requests is under way, new ones wait, and start together after it or after `afterMs`,
   * whichever is first.
   */
  readonly overtake?: { readonly requests: number; readonly afterMs: number };
  /** Whether requests of one turn of the event loop start after it, so that they can form a group. */
  readonly gathers?: boolean;
  /** How many requests may be in the queue: for queries, those waiting; for writes, also those under way. */
  readonly limit?: QueueLimit;
  /** Executes a group and then calls `done` with it. */
  start(owner: Owner, group: readonly Entry[]): void;
  /** Refuses requests not started by their deadline. */
  late(owner: Owner, entries: readonly Entry[]): void;
}

interface Member<Entry extends Queued, Owner> {
  readonly owner: Owner;
  readonly line: QueueLine<Entry>;
  /** Groups under way, and requests waiting or under way. */
  running: number;
  unanswered: number;
  /** When to stop waiting for groups under way, by `performance.now()`. */
  overtakeAt: number;
  overtaking: NodeJS.Timeout | undefined;
}

/** @typeParam Owner who takes turns: a data space, by number, or a file, by name */
export class FairQueue<Entry extends Queued, Owner extends number | string = number> {
  readonly #options: FairQueueOptions<Entry, Owner>;
  readonly #perOwnerMax: number;
  readonly #members = new Map<Owner, Member<Entry, Owner>>();
  /** Members that may have something to start, in order of turns. */
  readonly #turns = new Set<Member<Entry, Owner>>();
  #waiting = 0;
  #mostWaiting = 0;
  #running = 0;
  #unanswered = 0;
  #gathering: NodeJS.Immediate | undefined;
  #lateCheck: NodeJS.Timeout | undefined;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(options: FairQueueOptions<Entry, Owner>) {
    this.#options = options;
    this.#perOwnerMax = options.perOwnerMax ?? Number.POSITIVE_INFINITY;
  }

  /** @throws ServiceError `busy` when too many wait, or the service is stopping */
  push(owner: Owner, entry: Entry): void {
    const { limit } = this.#options;
    if (this.#closing !== undefined) throw stopping();
    const member = this.#members.get(owner);
    if (limit?.what === 'queries') assertFreeSlot(limit, this.#waiting, member?.line.length ?? 0);
    if (limit?.what === 'writes') assertFreeSlot(limit, this.#unanswered, member?.unanswered ?? 0);
    this.#add(member ?? this.#newMember(owner), entry, 'last');
  }

  /**
   * Queues a request that waited elsewhere: it has no keys, is never refused, and runs next in its data space, alone.
   */
  pushFirst(owner: Owner, entry: Entry): void {
    this.#add(this.#members.get(owner) ?? this.#newMember(owner), entry, 'first');
  }

  /**
   * Must be called when a group has ended.
   * @param again its requests to execute again: next, each by itself; they keep their keys
   */
  done(owner: Owner, group: readonly Entry[], again: readonly Entry[] = []): void {
    const member = this.#members.get(owner) as Member<Entry, Owner>;
    member.running--;
    this.#running--;
    const kept = again.length === 0 ? null : new Set(again);
    for (const entry of group) if (kept?.has(entry) !== true) member.line.release(entry);
    for (const entry of again) member.line.pushFirst(entry);
    this.#count(member, again.length, again.length - group.length);
    this.#wake(member);
  }

  /** Starts what can start; to be called when slots became free other than by `done`. */
  startNext(): void {
    this.#startOpen();
    this.#noteWaiting();
  }

  /** The most requests that waited at once since the last call, without those that started on arrival. */
  takeMostWaiting(): number {
    const most = this.#mostWaiting;
    this.#mostWaiting = this.#waiting;
    return most;
  }

  #noteWaiting(): void {
    if (this.#waiting > this.#mostWaiting) this.#mostWaiting = this.#waiting;
  }

  #startOpen(): void {
    const { slots } = this.#options;
    for (const member of this.#turns) {
      if (slots?.hasFree(this.#running) === false) return;
      if (slots?.isOpenTo(member.owner, member.running, this.#running) === false) continue;
      this.#turns.delete(member);
      // To the end of the line.
      if (this.#start(member) && member.line.length > 0) this.#turns.add(member);
    }
  }

  /** Resolves when all writes have ended. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers<void>();
    if (this.#unanswered === 0) this.#closing.resolve();
    return this.#closing.promise;
  }

  #newMember(owner: Owner): Member<Entry, Owner> {
    const member = {
      owner,
      line: new QueueLine<Entry>(),
      running: 0,
      unanswered: 0,
      overtakeAt: 0,
      overtaking: undefined,
    };
    this.#members.set(owner, member);
    return member;
  }

  #add(member: Member<Entry, Owner>, entry: Entry, position: 'first' | 'last'): void {
    if (position === 'first') member.line.pushFirst(entry);
    else member.line.push(entry);
    this.#count(member, 1, 1);
    // It is considered again when one of its groups ends.
    if (member.running >= this.#perOwnerMax) {
      this.#noteWaiting();
      return;
    }
    this.#turns.add(member);
    if (this.#options.gathers === true) this.#gathering ??= setImmediate(() => this.#startGathered());
    else this.startNext();
  }

  /** Starts the next group of a data space whose turn it is. @returns false when none may start now */
  #start(member: Member<Entry, Owner>): boolean {
    const { overtake, group: bounds = oneByOne } = this.#options;
    if (member.running >= this.#perOwnerMax || !this.#isTimeToStart(member)) return false;
    const group = member.line.take(bounds);
    if (group.length === 0) return false;
    member.running++;
    this.#running++;
    this.#count(member, -group.length, 0);
    if (overtake !== undefined && group.length >= overtake.requests) {
      member.overtakeAt = performance.now() + overtake.afterMs;
    }
    this.#options.start(member.owner, group);
    return true;
  }

  #isTimeToStart(member: Member<Entry, Owner>): boolean {
    if (this.#options.overtake === undefined || member.running === 0 || member.line.hasFirst) return true;
    const leftMs = member.overtakeAt - performance.now();
    if (leftMs <= 0) return true;
    member.overtaking ??= setTimeout(() => {
      member.overtaking = undefined;
      this.#wake(member);
    }, leftMs);
    return false;
  }

  #startGathered(): void {
    this.#gathering = undefined;
    this.startNext();
  }

  #count(member: Member<Entry, Owner>, waiting: number, unanswered: number): void {
    this.#waiting += waiting;
    this.#unanswered += unanswered;
    member.unanswered += unanswered;
    this.#watch();
  }

  #wake(member: Member<Entry, Owner>): void {
    if (member.line.length > 0) {
      this.#turns.add(member);
    } else if (member.unanswered === 0) {
      clearTimeout(member.overtaking);
      this.#turns.delete(member);
      this.#members.delete(member.owner);
    }
    this.startNext();
    if (this.#unanswered === 0) this.#closing?.resolve();
  }

  #refuseLate(): void {
    this.#lateCheck = undefined;
    const now = performance.now();
    for (const member of this.#members.values()) {
      const late = member.line.takeLate(now);
      if (late.length === 0) continue;
      for (const entry of late) member.line.release(entry);
      this.#count(member, -late.length, -late.length);
      this.#options.late(member.owner, late);
      // Requests behind them may start now.
      this.#wake(member);
    }
    this.#watch();
  }

  #watch(): void {
    if (this.#waiting > 0) this.#lateCheck ??= setTimeout(() => this.#refuseLate(), lateCheckMs).unref();
  }
}
