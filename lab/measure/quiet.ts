/** How every benchmark begins: other programs that are busy spoil the figures, so a busy machine is refused. */
import { loadavg } from 'node:os';
import { mark, readFlags, type Values } from '../machine/command.ts';
import { machineText } from '../machine/machine-text.ts';

/** The load average of the last minute up to which a machine counts as quiet. */
export const loadMax = 0.5;

/**
 * Reads the flags of a benchmark, as `readFlags` does, and refuses a busy machine, which ends the process.
 * @returns them, with the machine and its load, to be told with the figures
 */
export function begin<Given extends Parameters<typeof readFlags>[1]>(usage: string, given: Given) {
  const noisy = mark('measures on a busy machine too, and marks the figures');
  const flags = readFlags(usage, { ...given, noisy });
  try {
    return {
      ...(flags as Values<Given>),
      machine: machineText(loadText((flags as Values<{ noisy: typeof noisy }>).noisy)),
    };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

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
    `The machine is busy: ${text}, and at most ${loadMax} makes figures that count. Wait until it is quiet, or give --noisy, which marks the figures as noisy.`,
  );
}
