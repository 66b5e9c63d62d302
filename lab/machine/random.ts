/**
 * Random choices that can be repeated from a seed: every client draws from its own stream, independently of the others.
 */

export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number, at least 0, below `limit`. */
  below(limit: number): number;
  /** Both ends included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list */
  pick<T>(from: readonly T[]): T;
  /** `count` different ones, or all of them in some order when there are fewer. */
  some<T>(from: readonly T[], count: number): T[];
  /** One of several ways, each with its share of all choices. @throws RangeError for none */
  weighted<T>(...ways: readonly (readonly [share: number, way: () => T])[]): T;
  /** A list of this length. */
  times<T>(length: number, make: (index: number) => T): T[];
  /** 64 bits. */
  bits64(): bigint;
}

/** @param path names the stream below the seed: the same seed and path give the same choices */
export function seeded(seed: number, ...path: readonly number[]): Random {
  let state = [seed, ...path].reduce((mixed, part) => scramble((mixed ^ part) + 0x9e3779b9), 0x6a09e667);
  /** Mulberry32: 32 bits of state are plenty for choosing what to try next. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(fraction() * limit);
  const bits32 = () => BigInt(below(2 ** 32));
  return {
    fraction,
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => fraction() < probability,
    pick(from) {
      if (from.length === 0) throw new RangeError('There is nothing to pick from.');
      return from[below(from.length)] as (typeof from)[number];
    },
    some(from, count) {
      const rest = [...from];
      return Array.from({ length: Math.min(count, rest.length) }, () => {
        const [picked] = rest.splice(below(rest.length), 1);
        return picked as (typeof from)[number];
      });
    },
    weighted(...ways) {
      let left = fraction() * ways.reduce((sum, [share]) => sum + share, 0);
      for (const [share, way] of ways) {
        left -= share;
        if (left < 0) return way();
      }
      throw new RangeError('There is no way.');
    },
    times: (length, make) => Array.from({ length }, (_, index) => make(index)),
    bits64: () => (bits32() << 32n) | bits32(),
  };
}

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
