/** The machine that figures were measured on. */
import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os';

/** @param load what is to be said of the load (`quiet.ts`) */
export function machineText(load: string): string {
  const disk = statfsSync(tmpdir());
  const gib = (bytes: number) => (bytes / 2 ** 30).toFixed(0);
  const model = cpus()[0]?.model ?? 'unknown';
  const size = `${availableParallelism()} cores (${model}), ${gib(totalmem())} GiB memory, ${gib(disk.bavail * disk.bsize)} GiB free`;
  return `Node ${process.version}, ${size}, ${load}; the load generator shares the machine.`;
}
