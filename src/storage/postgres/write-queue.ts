/**
 * The writes that wait for one data space, in the order in which they came. What shares a record, a transaction id or a
 * unique value with one under way waits for it, and so does all that comes behind it with the same: their order is kept.
 */

export interface Waiting {
  /** What no two may share that are under way at the same time. */
  readonly keys: readonly string[];
  /** Equal for those that can go out together; null for one that goes alone. */
  readonly kind: string | null;
  readonly items: number;
  /** About how much text it sends to the database. */
  readonly bytes: number;
}

export interface GroupBounds {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
}

/** How many of those that wait are looked at for one group, so that a long queue takes no longer for it. */
const lookMax = 2_000;

export class WriteQueue<Entry extends Waiting> {
  #waiting: Entry[] = [];
  readonly #busy = new Set<string>();

  get length(): number {
    return this.#waiting.length;
  }

  push(entry: Entry): void {
    this.#waiting.push(entry);
  }

  /** The first that can start, and those behind it that can go out with it; none when all have to wait. */
  take(bounds: GroupBounds): Entry[] {
    const group: Entry[] = [];
    const left: Entry[] = [];
    const held = new Set<string>();
    let items = 0;
    let bytes = 0;
    const looked = Math.min(this.#waiting.length, lookMax);
    for (let index = 0; index < looked; index++) {
      const entry = this.#waiting[index] as Entry;
      const isFree = entry.keys.every((key) => !this.#busy.has(key) && !held.has(key));
      const fits =
        group.length === 0 ||
        (entry.kind !== null &&
          entry.kind === group[0]?.kind &&
          group.length < bounds.requests &&
          items + entry.items <= bounds.items &&
          bytes + entry.bytes <= bounds.bytes);
      if (isFree && fits) {
        group.push(entry);
        items += entry.items;
        bytes += entry.bytes;
        for (const key of entry.keys) this.#busy.add(key);
      } else {
        left.push(entry);
        for (const key of entry.keys) held.add(key);
      }
    }
    if (group.length > 0) this.#waiting = left.concat(this.#waiting.slice(looked));
    return group;
  }

  /** To be told when one that was taken is done with. */
  release(entry: Entry): void {
    for (const key of entry.keys) this.#busy.delete(key);
  }
}
