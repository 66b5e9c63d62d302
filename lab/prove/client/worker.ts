/**
 * A process of the proof that may be killed: lanes that write through outboxes in files, and record in files what was
 * kept.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileStore } from '../../../packages/client/src/node/file-store.ts';
import { fileStorage } from '../../../packages/client/src/node/storage.ts';
import { carryOut } from '../../machine/child.ts';
import { faultOf, streamOf } from './faults.ts';
import { openOutbox, openPerson, type Person, type Reach } from './fetching.ts';
import { sendAll, writeLane } from './lane.ts';

export interface Work {
  readonly reach: Reach;
  readonly folder: string;
  readonly lanes: readonly string[];
  /** Of each lane. */
  readonly batches: number;
  /** After how many batches of the first lane the sessions of their user end. */
  readonly sessionBatches: number;
  readonly seed: number;
}

/** How many batches of a lane are known to be kept, from the app's view after a kill. */
export function keptOf(folder: string, lane: string): number {
  try {
    return Number(readFileSync(join(folder, `${lane}.kept`), 'utf8'));
  } catch {
    return 0;
  }
}

const digits = 12;

/** The users of the device, each with a session for all lanes. */
function peopleOf({ reach, folder, lanes: [first = ''], seed }: Work): Person[] {
  const random = streamOf(seed, first, seed);
  return reach.accounts.map((account) => {
    const storage = fileStorage(join(folder, `${first}.${account}.session`));
    return openPerson(reach, account, storage, () => faultOf(random));
  });
}

async function writeOne(work: Work, people: Person[], lane: string): Promise<void> {
  const { reach, folder, lanes, batches, seed } = work;
  const from = keptOf(folder, lane);
  const random = streamOf(seed, lane, from);
  const store = await fileStore(join(folder, `${lane}.outbox`));
  const shared = { ...store, close: async () => {} };
  const writers = people.map((person) => openOutbox(reach, person, shared, () => faultOf(random)));
  const note = openSync(join(folder, `${lane}.kept`), 'a+');
  closeSync(note);
  const file = openSync(join(folder, `${lane}.kept`), 'r+');
  const kept = (number: number) => void writeSync(file, String(number + 1).padStart(digits), 0);
  const ending = lane === lanes[0] ? { sessionBatches: work.sessionBatches } : {};
  await writeLane({ lane, writers, from, to: batches, kept, ...ending });
  for (const writer of writers) await sendAll(writer);
  closeSync(file);
  for (const { outbox } of writers) await outbox.close();
  await store.close();
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  carryOut({
    async work(work: Work) {
      const people = peopleOf(work);
      await Promise.all(work.lanes.map((lane) => writeOne(work, people, lane)));
      return true;
    },
  });
}
