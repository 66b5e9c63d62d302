/**
 * What waits for the database: data spaces take turns, so that nobody waits behind all requests of another one. Within a
 * data space the order is that of its line (`queue-line.ts`). How many wait is bounded, and so is how long. What is carried
 * out, and in how many connections, threads or files, is the engine's.
 */
import { assertFreeSlot, type QueueLimit, stopping } from './busy.ts';
import { type GroupBounds, type Queued, QueueLine } from './queue-line.ts';

/** How often waiting requests are looked through for passed deadlines, milliseconds. One timer costs less than one for each. */
const lateCheckMs = 25;

const oneByOne: GroupBounds = { requests: 1, items: 0, bytes: 0 };

/** What groups run in: connections or threads. */
export interface Slots<Owner> {
  /** Whether anybody may take one. @param running how many groups are under way */
  hasFree(running: number): boolean;
  /** Whether the data space may take one of those that are free. @param own how many of its groups are under way */
  isOpenTo(owner: Owner, own: number, running: number): boolean;
}

/**
 * A data space gets at most half of the slots, and the last free one only when it has none yet, so that one whose tables
 * are locked does not hold up the others.
 */
export function sharedSlots(max: number): Slots<unknown> {
  const share = Math.ceil(max / 2);
  return {
    hasFree: (running) => running < max,
    isOpenTo: (_, own, running) => own === 0 || (own < share && running < max - 1),
  };
}

export interface FairQueueOptions<Entry extends Queued, Owner> {
  /** Without any there is no bound over all data spaces. */
  readonly slots?: Slots<Owner>;
  /** How many groups of one data space are under way at a time, at most. */
  readonly perOwnerMax?: number;
  /** Without bounds, each goes by itself. */
  readonly group?: GroupBounds;
  /**
   * What arrives while a group of so many requests is under way waits for it, and goes out after it together, unless that
   * takes longer than `afterMs`.
   */
  readonly overtake?: { readonly requests: number; readonly afterMs: number };
  /** Whether what arrives in one turn of the event loop starts after it, so that it can go out together. */
  readonly gathers?: boolean;
  /** How many queries may wait; how many writes may wait or be under way. */
  readonly limit?: QueueLimit;
  /** Carries out a group; `done` has to be called with it. */
  start(owner: Owner, group: readonly Entry[]): void;
  /** Refuses what was not started before its deadline. */
  late(owner: Owner, entries: readonly Entry[]): void;
}

interface Member<Entry extends Queued, Owner> {
  readonly owner: Owner;
  readonly line: QueueLine<Entry>;
  /** Groups that are under way, and requests that wait or are under way. */
  running: number;
  unanswered: number;
  /** Of `performance.now()`: from then on, what is under way is not waited for. */
  overtakeAt: number;
  overtaking: NodeJS.Timeout | undefined;
}

/** @typeParam Owner who takes turns: a data space, by its number, or a file by its name */
export class FairQueue<Entry extends Queued, Owner extends number | string = number> {
  readonly #options: FairQueueOptions<Entry, Owner>;
  readonly #perOwnerMax: number;
  readonly #members = new Map<Owner, Member<Entry, Owner>>();
  /** Those that may have something to start, in the order of their turns. */
  readonly #turns = new Set<Member<Entry, Owner>>();
  #waiting = 0;
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

  /** For one that has waited elsewhere: it has no keys, is not refused, and goes next in its data space, by itself. */
  pushFirst(owner: Owner, entry: Entry): void {
    this.#add(this.#members.get(owner) ?? this.#newMember(owner), entry, 'first');
  }

  /**
   * To be called when a group is carried out.
   * @param again those of it that have to be carried out again, next and each by itself; they keep their keys
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

  /** Starts what can start; to be called when slots have become free other than by `done`. */
  startNext(): void {
    const { slots } = this.#options;
    for (const member of this.#turns) {
      if (slots?.hasFree(this.#running) === false) return;
      if (slots?.isOpenTo(member.owner, member.running, this.#running) === false) continue;
      this.#turns.delete(member);
      // To the end of the line.
      if (this.#start(member) && member.line.length > 0) this.#turns.add(member);
    }
  }

  /** Resolves when everything is answered. */
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
    // The end of one of its groups wakes it.
    if (member.running >= this.#perOwnerMax) return;
    this.#turns.add(member);
    if (this.#options.gathers === true) this.#gathering ??= setImmediate(() => this.#startGathered());
    else this.startNext();
  }

  /** Starts the next group of a data space whose turn it is. @returns false when there is none that may start now */
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
      // What waited for them may start now.
      this.#wake(member);
    }
    this.#watch();
  }

  #watch(): void {
    if (this.#waiting > 0) this.#lateCheck ??= setTimeout(() => this.#refuseLate(), lateCheckMs).unref();
  }
}
