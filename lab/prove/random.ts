/** Random choices that a seed repeats: every client draws from a stream of its own, whatever the others do meanwhile. */

export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number, at least 0, below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError when there is nothing to pick from */
  pick<T>(from: readonly T[]): T;
  /** `count` different ones, or all of them in some order when there are fewer. */
  some<T>(from: readonly T[], count: number): T[];
}

/** @param path what the stream is for, below the seed: the same seed and path give the same choices */
export function seeded(seed: number, ...path: readonly number[]): Random {
  let state = [seed, ...path].reduce((mixed, part) => scramble((mixed ^ part) + 0x9e3779b9), 0x6a09e667);
  /** Mulberry32: 32 bits of state are plenty for choosing what to try next. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0;
    return scramble(state) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
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
  };
}

function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
