/** The start of every benchmark: it refuses a busy machine, because other programs would spoil the figures. */
import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { mark, readFlags, type Values } from '../machine/command.ts';

/** The load average of the last minute up to which a machine counts as quiet. */
export const loadMax = 0.5;

/**
 * Reads the flags of a benchmark, as `readFlags` does, and refuses a busy machine, which ends the process.
 * @returns the flags, with the machine and its load, to be reported with the figures
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
 * @param isAllowed whether noisy figures, marked as such, are acceptable
 * @returns a remark on the load for the figures
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

/** The machine that figures were measured on. @param load the remark on the load (`loadText`) */
function machineText(load: string): string {
  const disk = statfsSync(tmpdir());
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(0);
  const model = cpus()[0]?.model ?? 'unknown';
  const size = `${availableParallelism()} cores (${model}), ${gib(totalmem())} GiB memory, ${gib(disk.bavail * disk.bsize)} GiB free`;
  return `Node ${process.version}, ${size}, ${load}; the load generator shares the machine.`;
}
