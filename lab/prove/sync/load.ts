/**
 * Clients that add, update and delete batches of their own records, each batch under a transaction id. A client waits
 * for each answer, so that the state of its records after any number of its transactions is known.
 */
import { Connection } from '../../client/connection.ts';
import { seeded } from '../../machine/random.ts';
import type { Space } from '../../service/spaces.ts';
import { defineRequest } from '../service.ts';
import { Attempts, Family, type Mix, newTally, usualMix } from '../workload.ts';

export interface Transaction {
  readonly id: string;
  /** Name of the client. */
  readonly client: string;
  readonly spaceId: number;
  readonly items: readonly Item[];
}

export interface Item {
  readonly objectId: string;
  /** The record's count after this; null if deleted. */
  readonly count: number | null;
}

export interface LoadOptions {
  readonly port: number;
  readonly places: readonly Space[];
  readonly clients: number;
  readonly batches: number;
  readonly seed: number;
  /** Called after each answer, with their number. */
  readonly progress?: (answered: number) => void;
}

const once = { replay: 0, rival: 0, repeat: 0, foreign: 0 };
const mix: Mix = { ...usualMix, ...once, update: 0.35, remove: 0.15, itemsMax: 6, parted: 0, timeoutMs: 60_000 };
const noteLengthMax = 6_000;

/**
 * The mark in records of the transaction that wrote them last. It is not the id, so that only the history writes the id
 * to the log.
 */
export function markOf(transactionId: string): string {
  return transactionId.replace('prove-sync', 'mark');
}

/** The transactions in the order of sending; all succeeded. @throws Error when one did not */
export async function runLoad(options: LoadOptions): Promise<Transaction[]> {
  const { port, places, clients, batches, seed, progress } = options;
  for (const place of places) {
    const connection = new Connection(port);
    const { status, body } = await connection.exchange(defineRequest(place), mix.timeoutMs);
    connection.close();
    if (status !== 200) throw new Error(`The table could not be defined: ${body}`);
  }
  const tally = newTally();
  let answered = 0;
  const work = async (client: number) => {
    const space = places[client % places.length] as Space;
    const random = seeded(seed, client);
    const own = {
      newId: () => `prove-sync-${String(tally.batches).padStart(8, '0')}`,
      markOf,
      /** Notes of very different lengths, so that commits change few or many pages, including overflow pages. */
      noteOf: () => 'n'.repeat(random.below(random.chance(0.1) ? noteLengthMax : 200)),
    };
    const name = `client-${client}`;
    const observe = () => progress?.(++answered);
    const family = new Family({ ports: [port], space, name, mix, tally, attempts: new Attempts(), observe, own });
    while (tally.batches < batches) await family.step(random);
    family.close();
    return family.transactions.map(({ id, items, attempts }): Transaction => {
      const answer = attempts[0]?.heard?.answer;
      if (attempts.length !== 1 || answer?.kind !== 'accepted') throw new Error(`${id} was answered ${answer?.kind}.`);
      const written = answer.results.map(({ objectId }, index) => ({ objectId, count: items[index]?.count ?? null }));
      return { id, client: name, spaceId: space.spaceId, items: written };
    });
  };
  const all = await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return all.flat().toSorted((one, other) => one.id.localeCompare(other.id));
}
