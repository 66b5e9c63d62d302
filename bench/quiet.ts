/** Whether the machine is quiet enough to be measured: other programs that are busy spoil the figures. */
import { loadavg } from 'node:os';

/** The load average of the last minute up to which a machine counts as quiet. */
export const loadMax = 0.5;

export const noisyFlag = '--noisy';

/**
 * @param load the load average of the last minute
 * @param isAllowed whether the figures may be noisy, and are marked so
 * @returns what the figures have to say about the load
 * @throws Error when the machine is busy and that is not allowed
 */
export function loadText(isAllowed: boolean, load: number = loadavg()[0] ?? 0): string {
  const text = `load average ${load.toFixed(2)} before the start`;
  if (load <= loadMax) return text;
  if (isAllowed) return `NOISY: ${text}, more than ${loadMax}`;
  throw new Error(
    `The machine is busy: ${text}, and at most ${loadMax} makes figures that count. Wait until it is quiet, or give ${noisyFlag}, which marks the figures as noisy.`,
  );
}
