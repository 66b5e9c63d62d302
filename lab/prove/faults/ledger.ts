/** A client that records the answers from one data space, and compares them with the stored data. */
import { Connection, headerOf, Lost } from '../../client/connection.ts';
import type { Space } from '../../service/spaces.ts';
import type { Seen } from '../history.ts';
import { addItem, readRequest, recordsOf, tableName, writeRequest } from '../service.ts';

const timeMs = 30_000;
const items = 3;

export interface Told {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly errCode: number | null;
  readonly description: string;
  readonly retryAfter: string | undefined;
}

export class Ledger {
  readonly #connection: Connection;
  readonly #space: Space;
  readonly #family: string;
  readonly #objectName: string;
  readonly #acknowledged: string[];
  readonly #unclear: string[];
  #next: number;

  constructor(port: number, space: Space, family: string, objectName = tableName, before?: Ledger) {
    this.#connection = new Connection(port);
    this.#space = space;
    this.#family = family;
    this.#objectName = objectName;
    this.#acknowledged = before === undefined ? [] : [...before.#acknowledged];
    this.#unclear = before === undefined ? [] : [...before.#unclear];
    this.#next = before === undefined ? 0 : before.#next;
  }

  /** The same ledger, continued after a restart. */
  after(port: number): Ledger {
    this.#connection.close();
    return new Ledger(port, this.#space, this.#family, this.#objectName, this);
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** Batches that were refused, or had no answer. */
  get refused(): number {
    return this.#unclear.length;
  }

  /** Adds one batch. @param bytes of payload of each of its records */
  async add(bytes = 10): Promise<Told> {
    const id = `${this.#family}-${this.#next++}`;
    const batch = { id, operation: 'add' as const, items: Array.from({ length: items }, () => addItem(null)) };
    const more = { objectName: this.#objectName };
    const told = await this.#ask(writeRequest(this.#space, this.#family, batch, 'x'.repeat(bytes), more));
    if (told.errCode === 0) this.#acknowledged.push(id);
    else this.#unclear.push(id);
    return told;
  }

  async read(): Promise<Told> {
    return this.#ask(readRequest(this.#space, this.#family, this.#objectName));
  }

  /** The differences from the ledger, as sentences: none if every acknowledged batch is stored once and completely. */
  async differences(): Promise<string[]> {
    let records: readonly Seen[];
    try {
      const request = readRequest(this.#space, this.#family, this.#objectName);
      records = recordsOf((await this.#connection.exchange(request, timeMs)).body);
    } catch (error) {
      return [`${this.#family} can't be read: ${(error as Error).message}`];
    }
    const found = Map.groupBy(records, ({ mark }) => mark);
    const count = (id: string) => found.get(id)?.length ?? 0;
    return [
      ...this.#acknowledged
        .filter((id) => count(id) !== items)
        .map((id) => `${id}: acknowledged, ${count(id)} of ${items} are there.`),
      ...this.#unclear
        .filter((id) => count(id) !== 0)
        .map((id) => `${id}: refused, ${count(id)} of ${items} are there.`),
    ];
  }

  close(): void {
    this.#connection.close();
  }

  async #ask(bytes: Buffer): Promise<Told> {
    try {
      const { status, body, bytes: answer } = await this.#connection.exchange(bytes, timeMs);
      const { errCode, description } = JSON.parse(body) as { errCode?: number; description?: string };
      const retryAfter = headerOf(answer, 'retry-after');
      return { status, errCode: errCode ?? null, description: description ?? '', retryAfter };
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      return { status: 0, errCode: null, description: error.message, retryAfter: undefined };
    }
  }
}
