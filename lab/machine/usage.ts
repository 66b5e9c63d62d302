/** Resource usage of a process, as reported by Linux; NaN on other systems, and for an ended process. */
import { readFileSync } from 'node:fs';

/** Its present (`VmRSS`) or peak (`VmHWM`) memory, MiB. */
export function memoryMib(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'status'))?.[1];
  return Number(kib ?? Number.NaN) / 1_024;
}

/**
 * Processor time of all its threads so far, and optionally of its ended children, microseconds. The resolution is 0.01
 * s.
 */
export function cpuUs(pid: number, whose: 'alone' | 'with children' = 'alone'): number {
  const fields = read(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  const ticks = fields.slice(11, whose === 'alone' ? 13 : 15);
  return ticks.length === 0 ? Number.NaN : ticks.reduce((sum, field) => sum + Number(field), 0) * 10_000;
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
