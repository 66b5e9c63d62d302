/** A process of the proof that may be killed: lanes that write through outboxes in files, and note in files what was kept. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileStore } from '../../../packages/client/src/node/file-store.ts';
import { carryOut } from '../../machine/child.ts';
import { faultOf, streamOf } from './faults.ts';
import { openOutbox, type Reach } from './fetching.ts';
import { sendAll, writeLane } from './lane.ts';

export interface Work {
  readonly reach: Reach;
  readonly folder: string;
  readonly lanes: readonly string[];
  /** Of each lane. */
  readonly batches: number;
  readonly seed: number;
}

/** How many batches of a lane are known to be kept: what the app knows after it was killed. */
export function keptOf(folder: string, lane: string): number {
  try {
    return Number(readFileSync(join(folder, `${lane}.kept`), 'utf8'));
  } catch {
    return 0;
  }
}

const digits = 12;

async function writeOne({ reach, folder, batches, seed }: Work, lane: string): Promise<void> {
  const from = keptOf(folder, lane);
  const random = streamOf(seed, lane, from);
  const store = await fileStore(join(folder, `${lane}.outbox`));
  const { outbox, commit } = openOutbox(reach, store, () => faultOf(random));
  const note = openSync(join(folder, `${lane}.kept`), 'a+');
  closeSync(note);
  const file = openSync(join(folder, `${lane}.kept`), 'r+');
  const kept = (number: number) => void writeSync(file, String(number + 1).padStart(digits), 0);
  await writeLane({ lane, outbox, commit, from, to: batches, kept });
  await sendAll(outbox);
  closeSync(file);
  await outbox.close();
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  carryOut({ work: (work: Work) => Promise.all(work.lanes.map((lane) => writeOne(work, lane))).then(() => true) });
}
