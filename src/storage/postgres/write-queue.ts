/**
 * The writes that wait for one data space, in the order in which they came. What shares a record, a transaction id or a
 * unique value with one under way waits for it, and so does all that comes behind it with the same: their order is kept.
 * Those that have to wait for others stand in line and are not looked at, however many they are.
 */

export interface Waiting {
  /** What no two may share that are under way at the same time. */
  readonly keys: readonly string[];
  /** Equal for those that can go out together; null for one that goes alone. */
  readonly kind: string | null;
  readonly items: number;
  /** About how much text it sends to the database. */
  readonly bytes: number;
  /** Of `performance.now()`: until then it may wait. Never before that of one which came earlier. */
  readonly deadline: number;
}

export interface GroupBounds {
  readonly requests: number;
  readonly items: number;
  readonly bytes: number;
}

/** How many of those that could start are looked at for one group, so that a long queue takes no longer for it. */
const lookMax = 2_000;

export class WriteQueue<Entry extends Waiting> {
  /** By key, all that have it, those under way too, in the order in which they came. */
  readonly #lines = new Map<string, Entry[]>();
  /** Those that wait and are the first in all their lines, in the order in which they came. */
  #ready: Entry[] = [];
  /** The others that wait, in the same order, with the number of lines in which each is not the first. */
  readonly #behind = new Map<Entry, number>();

  get length(): number {
    return this.#ready.length + this.#behind.size;
  }

  push(entry: Entry): void {
    let behind = 0;
    for (const key of entry.keys) {
      const line = this.#lines.get(key);
      if (line === undefined) {
        this.#lines.set(key, [entry]);
      } else if (line.at(-1) !== entry) {
        line.push(entry);
        behind++;
      }
    }
    if (behind === 0) this.#ready.push(entry);
    else this.#behind.set(entry, behind);
  }

  /** The first that can start, and those behind it that can go out with it; none when all have to wait. */
  take(bounds: GroupBounds): Entry[] {
    const group: Entry[] = [];
    const left: Entry[] = [];
    let items = 0;
    let bytes = 0;
    const looked = Math.min(this.#ready.length, lookMax);
    for (let index = 0; index < looked; index++) {
      const entry = this.#ready[index] as Entry;
      const fits =
        group.length === 0 ||
        (entry.kind !== null &&
          entry.kind === group[0]?.kind &&
          group.length < bounds.requests &&
          items + entry.items <= bounds.items &&
          bytes + entry.bytes <= bounds.bytes);
      if (fits) {
        group.push(entry);
        items += entry.items;
        bytes += entry.bytes;
      } else {
        left.push(entry);
      }
    }
    if (group.length > 0) this.#ready = left.concat(this.#ready.slice(looked));
    return group;
  }

  /** Those whose time was over before their turn came. */
  takeLate(now: number): Entry[] {
    const inTime = this.#ready.findIndex(({ deadline }) => deadline > now);
    const late = this.#ready.splice(0, inTime === -1 ? this.#ready.length : inTime);
    for (const entry of this.#behind.keys()) {
      if (entry.deadline > now) break;
      this.#behind.delete(entry);
      late.push(entry);
    }
    return late;
  }

  /** To be told when one that was taken is done with. */
  release(entry: Entry): void {
    for (const key of entry.keys) {
      const line = this.#lines.get(key);
      const position = line?.indexOf(entry) ?? -1;
      if (line === undefined || position === -1) continue;
      if (line.length === 1) {
        this.#lines.delete(key);
        continue;
      }
      line.splice(position, 1);
      if (position === 0) this.#moveUp(line[0] as Entry);
    }
  }

  /** It has become the first of a line. */
  #moveUp(entry: Entry): void {
    const behind = this.#behind.get(entry);
    // One that was taken as late is about to leave the line as well.
    if (behind === undefined) return;
    if (behind > 1) {
      this.#behind.set(entry, behind - 1);
      return;
    }
    this.#behind.delete(entry);
    const position = this.#ready.findIndex(({ deadline }) => deadline > entry.deadline);
    this.#ready.splice(position === -1 ? this.#ready.length : position, 0, entry);
  }
}
