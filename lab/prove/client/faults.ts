/** The network's fault for a batch of the proof. */
import { type Random, seeded } from '../../machine/random.ts';
import type { Fault } from '../proxy.ts';

/** The random stream of a lane, a new one after each kill. @param lane ends with its number */
export const streamOf = (seed: number, lane: string, from: number): Random =>
  seeded(seed, Number(/\d+$/.exec(lane)?.[0]), from);

export const faultOf = (random: Random): Fault =>
  random.weighted<Fault>(
    [0.08, () => 'drop'],
    [0.03, () => 'twice'],
    [0.01, () => 'reset'],
    [0.002, () => 'late'],
    [0.002, () => 'hold'],
    [0.876, () => 'none'],
  );
