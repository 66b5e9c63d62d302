/** Limits the memory of a process and its children by a Linux cgroup, version 1 or 2, if permitted. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryLimit {
  /** A command that joins the group and then executes the program in its arguments. */
  readonly command: readonly string[];
  /** The group's peak memory, including cached file pages. */
  peakBytes(): number;
  /** How many processes the system has killed because of lack of memory. */
  kills(): number;
  /** To be called when its processes have ended. */
  remove(): void;
}

interface Version {
  readonly root: string;
  readonly limits: readonly (readonly [file: string, value: (bytes: number) => string])[];
  readonly peak: string;
  readonly kills: string;
}

const versions: readonly Version[] = [
  {
    root: '/sys/fs/cgroup/memory',
    limits: [
      ['memory.limit_in_bytes', String],
      ['memory.memsw.limit_in_bytes', String],
    ],
    peak: 'memory.max_usage_in_bytes',
    kills: 'memory.oom_control',
  },
  {
    root: '/sys/fs/cgroup',
    limits: [
      ['memory.max', String],
      ['memory.swap.max', () => '0'],
    ],
    peak: 'memory.peak',
    kills: 'memory.events',
  },
];

/** Null if this user may not create such a group. */
export function limitMemory(bytes: number): MemoryLimit | null {
  for (const version of versions) {
    const folder = join(version.root, `rowhouse-proof-${process.pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    const file = (name: string) => join(folder, name);
    const remove = () => rmdirSync(folder);
    const [first] = version.limits;
    if (first === undefined || !existsSync(file(first[0]))) {
      remove();
      continue;
    }
    for (const [name, value] of version.limits) if (existsSync(file(name))) writeFileSync(file(name), value(bytes));
    return {
      command: ['/bin/sh', '-c', `echo $$ > ${file('cgroup.procs')} && exec "$@"`, 'sh'],
      peakBytes: () => Number(readFileSync(file(version.peak), 'utf8')),
      kills: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(file(version.kills), 'utf8'))?.[1] ?? 0),
      remove,
    };
  }
  return null;
}
