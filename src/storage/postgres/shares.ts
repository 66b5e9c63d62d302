/**
 * Counts the connections that each data space uses. It gets at most half of all, and the last free one only when it has
 * none yet, so that a data space whose tables are locked does not hold up the others.
 */

export class Shares {
  readonly #perSpaceMax: number;
  readonly #taken = new Map<number, number>();
  #free: number;

  /** @param max how many connections there are for all data spaces together */
  constructor(max: number) {
    this.#free = max;
    this.#perSpaceMax = Math.ceil(max / 2);
  }

  /** Whether the data space may take one more now. */
  isOpenTo(spaceId: number): boolean {
    const taken = this.#taken.get(spaceId) ?? 0;
    return taken === 0 ? this.#free > 0 : taken < this.#perSpaceMax && this.#free > 1;
  }

  /** Whether anybody may take one now. */
  get hasFree(): boolean {
    return this.#free > 0;
  }

  get isIdle(): boolean {
    return this.#taken.size === 0;
  }

  take(spaceId: number): void {
    this.#free--;
    this.#taken.set(spaceId, (this.#taken.get(spaceId) ?? 0) + 1);
  }

  giveBack(spaceId: number): void {
    this.#free++;
    const left = (this.#taken.get(spaceId) ?? 1) - 1;
    if (left === 0) this.#taken.delete(spaceId);
    else this.#taken.set(spaceId, left);
  }
}
