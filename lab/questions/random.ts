/** Numbers and choices from a seed: the same seed gives the same ones on every machine. */

export interface Random {
  /** From 0, below the bound. */
  below(bound: number): number;
  /** Both ends included. */
  between(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** One of several ways, each with how often it comes. */
  weighted<T>(...ways: readonly (readonly [weight: number, way: () => T])[]): T;
  /** As many as the length says. */
  times<T>(length: number, make: (index: number) => T): T[];
  /** 64 bits. */
  bits64(): bigint;
}

/** splitmix32 over a state that the seeds are mixed into. */
export function randomOf(...seeds: readonly number[]): Random {
  let state = 0x9e3779b9;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  for (const seed of seeds) state = (next() ^ seed) | 0;
  const below = (bound: number) => Math.floor((next() / 2 ** 32) * bound);
  const random: Random = {
    below,
    between: (low, high) => low + below(high - low + 1),
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    weighted(...ways) {
      let left = below(ways.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, way] of ways) {
        if (left < weight) return way();
        left -= weight;
      }
      throw new Error('There is no way.');
    },
    times: (length, make) => Array.from({ length }, (_, index) => make(index)),
    bits64: () => (BigInt(next()) << 32n) | BigInt(next()),
  };
  return random;
}
