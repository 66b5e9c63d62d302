/** What Linux tells of a process from outside; NaN on other systems, and of a process that is gone. */
import { readFileSync } from 'node:fs';

/** Memory that it has in use now (`VmRSS`), or had at most (`VmHWM`), MiB. */
export function memoryMib(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'status'))?.[1];
  return Number(kib ?? Number.NaN) / 1_024;
}

/** Processor time of all its threads so far, microseconds. Its unit is a hundredth of a second. */
export function cpuUs(pid: number): number {
  const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
