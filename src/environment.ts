/** Clock and randomness, passed in so that a failing run can be replayed from its seed. */
import { randomBytes } from 'node:crypto';

export interface Environment {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Cryptographically strong bytes. */
  random(bytes: number): Buffer;
}

export const systemEnvironment: Environment = { now: () => Date.now(), random: (bytes) => randomBytes(bytes) };
