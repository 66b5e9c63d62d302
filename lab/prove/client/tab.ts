/** A page of the proof whose tab may be killed: a lane that writes through the outbox that all tabs share. */
import { indexedDbStore } from '../../../packages/client/src/outbox/indexed-db.ts';
import { faultOf, streamOf } from './faults.ts';
import { openOutbox, type TabWork } from './fetching.ts';
import { sendAll, writeLane } from './lane.ts';

interface Page {
  work(work: TabWork): Promise<void>;
  /** Of the proof, which opened the page. */
  kept(lane: string, number: number): void;
}

const page = globalThis as unknown as Page;
page.work = async ({ reach, database, lane, from, batches, seed }) => {
  const random = streamOf(seed, lane, from);
  const { outbox, commit } = openOutbox(reach, await indexedDbStore(database), () => faultOf(random));
  await writeLane({ lane, outbox, commit, from, to: batches, kept: (number) => page.kept(lane, number) });
  await sendAll(outbox);
};
