/**
 * The requests waiting in one data space, or for one file, in order of arrival. A request that shares a key with one
 * under way waits for it, and so do all later ones with the same key: their order is kept. Blocked requests are not
 * scanned, however many they are.
 */

export interface Queued {
  /** What requests under way may not share: a record, a transaction id, a unique value. */
  readonly keys: readonly string[];
  /** Equal for requests that can form a group; null for one that runs alone. */
  readonly kind: string | null;
  readonly items: number;
  /** Approximate size of the text it sends to the database. */
  readonly bytes: number;
  /** A time of `performance.now()` until which it may wait. */
  readonly deadline: number;
}

/** Limits of one group. The first request is always taken. */
export interface GroupBounds {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
}

/** How many startable entries are examined for one group, so that a long queue costs no more. */
const lookMax = 2_000;

export class QueueLine<Entry extends Queued> {
  /** All holders of each key in the order of arrival, including those under way. */
  readonly #holders = new Map<string, Entry[]>();
  /** Entries that precede all others, each by itself; they already hold their keys. */
  readonly #first: Entry[] = [];
  /** Unblocked entries, by deadline and then in the order of arrival. */
  readonly #ready: Entry[] = [];
  /** The other entries in the order of arrival, each with the number of keys that others hold before it. */
  readonly #behind = new Map<Entry, number>();

  /** How many wait. */
  get length(): number {
    return this.#first.length + this.#ready.length + this.#behind.size;
  }

  /** Whether an entry that precedes all others is waiting. */
  get hasFirst(): boolean {
    return this.#first.length > 0;
  }

  push(entry: Entry): void {
    let behind = 0;
    for (const key of entry.keys) {
      const holders = this.#holders.get(key);
      if (holders === undefined) {
        this.#holders.set(key, [entry]);
      } else if (holders.at(-1) !== entry) {
        holders.push(entry);
        behind++;
      }
    }
    if (behind === 0) this.#insert(entry);
    else this.#behind.set(entry, behind);
  }

  /** Puts an entry before all others. A taken entry still holds its keys; one that was never pushed may have none. */
  pushFirst(entry: Entry): void {
    this.#first.push(entry);
  }

  /**
   * Takes the first entry that can start, and those of its kind behind it, up to the bounds; empty when all must wait.
   * Each must be released.
   */
  take(bounds: GroupBounds): Entry[] {
    const first = this.#first.shift();
    if (first !== undefined) return [first];
    const [leader] = this.#ready;
    if (leader === undefined) return [];
    const group = [leader];
    const others: Entry[] = [];
    let { items, bytes } = leader;
    let looked = 1;
    const end = leader.kind === null ? 1 : Math.min(this.#ready.length, lookMax);
    for (; looked < end && group.length < bounds.requests; looked++) {
      const entry = this.#ready[looked] as Entry;
      if (entry.kind !== leader.kind) {
        others.push(entry);
        continue;
      }
      items += entry.items;
      bytes += entry.bytes;
      if (items > bounds.items || bytes > bounds.bytes) break;
      group.push(entry);
    }
    this.#ready.splice(0, looked, ...others);
    return group;
  }

  /** Takes the entries whose deadline has passed. Each must be released. */
  takeLate(now: number): Entry[] {
    const inTime = this.#ready.findIndex(({ deadline }) => deadline > now);
    const late = this.#ready.splice(0, inTime === -1 ? this.#ready.length : inTime);
    for (const entry of this.#first.splice(0)) (entry.deadline > now ? this.#first : late).push(entry);
    for (const entry of this.#behind.keys()) {
      if (entry.deadline > now) break;
      this.#behind.delete(entry);
      late.push(entry);
    }
    return late;
  }

  /** Gives up its keys. */
  release(entry: Entry): void {
    for (const key of entry.keys) {
      const holders = this.#holders.get(key);
      const position = holders?.indexOf(entry) ?? -1;
      if (holders === undefined || position === -1) continue;
      holders.splice(position, 1);
      if (holders.length === 0) this.#holders.delete(key);
      else if (position === 0) this.#moveUp(holders[0] as Entry);
    }
  }

  /** The entry has become the first holder of a key. */
  #moveUp(entry: Entry): void {
    const behind = this.#behind.get(entry);
    // An entry that was taken as late is about to be released as well.
    if (behind === undefined) return;
    if (behind > 1) {
      this.#behind.set(entry, behind - 1);
      return;
    }
    this.#behind.delete(entry);
    this.#insert(entry);
  }

  #insert(entry: Entry): void {
    const last = this.#ready.at(-1);
    const isLast = last === undefined || last.deadline <= entry.deadline;
    const position = isLast ? -1 : this.#ready.findIndex(({ deadline }) => deadline > entry.deadline);
    if (position === -1) this.#ready.push(entry);
    else this.#ready.splice(position, 0, entry);
  }
}
