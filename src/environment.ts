/** Clock and randomness, passed in so that a failing run can be replayed from its seed. */
import { randomBytes } from 'node:crypto';

export interface Environment {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Cryptographically strong bytes; none is used twice. */
  random(bytes: number): Buffer;
}

export const systemEnvironment: Environment = { now: () => Date.now(), random: pooledRandom() };

/**
 * Fetches many random bytes at once: a system call for the ten bytes of a record's id would cost more than the rest of
 * the id.
 */
function pooledRandom(poolBytes = 8_192): Environment['random'] {
  let pool = Buffer.alloc(0);
  let next = 0;
  return (bytes) => {
    if (bytes > poolBytes / 8) return randomBytes(bytes);
    if (next + bytes > pool.length) {
      pool = randomBytes(poolBytes);
      next = 0;
    }
    const drawn = pool.subarray(next, next + bytes);
    next += bytes;
    return drawn;
  };
}
