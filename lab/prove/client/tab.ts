/** A page of the proof, in a tab that may be killed: a lane that writes through the outbox shared by all tabs. */
import { indexedDbStore } from '../../../packages/client/src/outbox/indexed-db.ts';
import { faultOf, streamOf } from './faults.ts';
import { openOutbox, openPerson, type TabWork } from './fetching.ts';
import { sendAll, writeLane } from './lane.ts';

interface Page {
  work(work: TabWork): Promise<void>;
  /** A function of the proof, which opened the page. */
  kept(lane: string, number: number): void;
}

const page = globalThis as unknown as Page;
page.work = async ({ reach, database, lane, account, from, batches, seed }) => {
  const random = streamOf(seed, lane, from);
  const fault = () => faultOf(random);
  // Each user has storage of its own.
  const storage = {
    getItem: (key: string) => localStorage.getItem(`${account} ${key}`),
    setItem: (key: string, text: string) => localStorage.setItem(`${account} ${key}`, text),
    removeItem: (key: string) => localStorage.removeItem(`${account} ${key}`),
  };
  const person = openPerson(reach, account, storage, fault);
  const writer = openOutbox(reach, person, await indexedDbStore(database), fault);
  await writeLane({ lane, writers: [writer], from, to: batches, kept: (number) => page.kept(lane, number) });
  await sendAll(writer);
};
