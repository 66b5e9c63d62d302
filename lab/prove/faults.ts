/** Tries every fault of the machine in turn, each on its own service. */
import { join } from 'node:path';
import { inScratch } from '../machine/scratch.ts';
import { fileSizeLimit, fullDisk, readOnlyFolder } from './faults/disk.ts';
import {
  corruptedPages,
  halvedFile,
  overwrittenFile,
  removedDirectory,
  removedFile,
  replacedFile,
  truncatedFile,
} from './faults/files.ts';
import { type Fault, prepareData, tryFault } from './faults/scene.ts';
import type { Violation } from './history.ts';
import type { Figure, Proof, Task } from './report.ts';

export const machineFaults: readonly Fault[] = [
  fullDisk,
  fileSizeLimit,
  readOnlyFolder,
  removedFile,
  replacedFile,
  removedDirectory,
  truncatedFile,
  halvedFile,
  overwrittenFile,
  corruptedPages,
];

export function proveFaults({ progress }: Pick<Task, 'progress'>): Promise<Proof> {
  return inScratch(async (scratch) => {
    const figures: Figure[] = [];
    const violations: Violation[] = [];
    const prepared = await prepareData(join(scratch, 'prepared'));
    for (const [number, fault] of machineFaults.entries()) {
      const { failures, acknowledged } = await tryFault(fault, prepared, join(scratch, `fault-${number}`));
      violations.push(
        ...failures.map((message): Violation => ({ rule: 'answered is kept', message: `${fault.name}: ${message}` })),
      );
      const told = failures.length === 0 ? `sound; ${acknowledged} writes answered` : `${failures.length} FAILURES`;
      figures.push({ name: fault.name, value: told });
      progress(`${fault.name}: ${told}`);
    }
    return { figures, violations };
  });
}
