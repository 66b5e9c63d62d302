/** What the network does to a batch of the proof. */
import type { Random } from '../../machine/random.ts';
import type { Fault } from '../proxy.ts';

export const faultOf = (random: Random): Fault =>
  random.weighted<Fault>(
    [0.08, () => 'drop'],
    [0.03, () => 'twice'],
    [0.01, () => 'reset'],
    [0.002, () => 'late'],
    [0.002, () => 'hold'],
    [0.876, () => 'none'],
  );
