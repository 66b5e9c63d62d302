/**
 * Clients that add, update and delete batches of records of their own, each batch under a transaction id. A client waits for
 * each answer, so that it is known how its records are after any number of its transactions.
 */

import { Connection } from '../../client/connection.ts';
import { postRequest } from '../../client/messages.ts';
import { type Random, seeded } from '../../machine/random.ts';
import type { Space } from '../../service/spaces.ts';

export const tableName = 'Proof';

export interface Transaction {
  readonly id: string;
  readonly client: number;
  readonly spaceId: number;
  readonly items: readonly Item[];
}

export interface Item {
  readonly objectId: string;
  /** What the record counts after this; null when it is deleted. */
  readonly count: number | null;
}

export interface LoadOptions {
  readonly port: number;
  readonly places: readonly Space[];
  readonly clients: number;
  readonly batches: number;
  readonly seed: number;
  /** After each answer, with how many there were. */
  readonly progress?: (answered: number) => void;
}

/** What records carry of the transaction that wrote them last: not its id, which the log then has from the history only. */
export function markOf(transactionId: string): string {
  return transactionId.replace('prove-sync', 'mark');
}

const answerTimeMs = 60_000;
const itemsMax = 6;
const noteLengthMax = 6_000;

/** The transactions in the order of their sending; all were answered with success. @throws Error when one was not */
export async function runLoad(options: LoadOptions): Promise<Transaction[]> {
  const { port, places, clients, batches, seed, progress } = options;
  for (const place of places) await defineTable(port, place);
  const transactions: Transaction[] = [];
  let answered = 0;
  const work = async (client: number) => {
    const writer = new Writer(port, places[client % places.length] as Space, client, seeded(seed, client));
    while (transactions.length < batches) {
      const id = `prove-sync-${String(transactions.length).padStart(8, '0')}`;
      const { items, send } = writer.next(id);
      transactions.push({ id, client, spaceId: writer.place.spaceId, items });
      await send();
      progress?.(++answered);
    }
    writer.close();
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return transactions;
}

interface Known {
  readonly count: number;
  readonly serverUpdateTime: string;
}

class Writer {
  readonly place: Space;
  readonly #connection: Connection;
  readonly #client: number;
  readonly #random: Random;
  readonly #records = new Map<string, Known>();
  #made = 0;

  constructor(port: number, place: Space, client: number, random: Random) {
    this.place = place;
    this.#connection = new Connection(port);
    this.#client = client;
    this.#random = random;
  }

  next(id: string): { items: Item[]; send(): Promise<void> } {
    const choice = this.#random.fraction();
    if (choice < 0.5 || this.#records.size < itemsMax) return this.#add(id);
    return choice < 0.85 ? this.#update(id) : this.#delete(id);
  }

  close(): void {
    this.#connection.close();
  }

  #add(transactionId: string) {
    const items = this.#some(() => ({ objectId: `client-${this.#client}-${this.#made++}`, count: 0 }));
    const data = items.map(({ objectId, count }) => this.#record(objectId, count, transactionId));
    return { items, send: () => this.#send('addData', { transactionId, objectName: tableName, data }, items) };
  }

  #update(transactionId: string) {
    const chosen = this.#random.some([...this.#records], 1 + this.#random.below(itemsMax));
    const items = chosen.map(([objectId, { count }]) => ({ objectId, count: count + 1 }));
    const data = chosen.map(([objectId, { count, serverUpdateTime }]) => ({
      ...this.#record(objectId, count + 1, transactionId),
      serverUpdateTime,
    }));
    return { items, send: () => this.#send('updateData', { transactionId, objectName: tableName, data }, items) };
  }

  #delete(transactionId: string) {
    const chosen = this.#random.some([...this.#records], 1 + this.#random.below(itemsMax / 2));
    const items = chosen.map(([objectId]) => ({ objectId, count: null }));
    const objectIds = chosen.map(([objectId, { serverUpdateTime }]) => ({ objectId, serverUpdateTime }));
    return { items, send: () => this.#send('deleteData', { transactionId, objectName: tableName, objectIds }, items) };
  }

  #some<T>(make: () => T): T[] {
    return Array.from({ length: 1 + this.#random.below(itemsMax) }, make);
  }

  /** Notes of very different lengths, so that commits change few pages and many, in overflow pages too. */
  #record(objectId: string, count: number, transactionId: string) {
    const length = this.#random.chance(0.1) ? this.#random.below(noteLengthMax) : this.#random.below(200);
    return { objectId, mark: markOf(transactionId), count: String(count), note: 'n'.repeat(length), scopeType: '3' };
  }

  async #send(operation: string, body: object, items: readonly Item[]): Promise<void> {
    const results = await post(this.#connection, this.place, `/data/batch/${operation}`, body);
    for (const [index, { objectId, count }] of items.entries()) {
      const { serverUpdateTime } = (results as { serverUpdateTime: string }[])[index]!;
      if (count === null) this.#records.delete(objectId);
      else this.#records.set(objectId, { count, serverUpdateTime });
    }
  }
}

async function defineTable(port: number, place: Space): Promise<void> {
  const columns = [
    { colName: 'mark', type: 'varchar', fieldLength: 40 },
    { colName: 'count', type: 'integer' },
    { colName: 'note', type: 'text' },
  ];
  const indexes = [{ columns: ['mark'] }];
  const connection = new Connection(port);
  await post(connection, place, '/schemas', {
    tables: [{ name: tableName, primary_key: 'objectId', columns, indexes }],
  });
  connection.close();
}

async function post(connection: Connection, space: Space, path: string, body: object): Promise<unknown> {
  const reply = await connection.exchange(postRequest(space, path, JSON.stringify(body)), answerTimeMs);
  const answer = JSON.parse(reply.body) as { errCode: number; results: unknown };
  if (reply.status !== 200 || answer.errCode !== 0) throw new Error(`${path} was refused: ${reply.body}`);
  return answer.results;
}
