/** Clients at work on many data spaces while something happens to the nodes of their cluster; all adds are counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Reply } from '../../client/connection.ts';
import { percentile } from '../../machine/statistics.ts';
import type { MadeSpace } from '../../service/spaces.ts';
import type { Violation } from '../history.ts';
import { differences, look } from '../installation.ts';
import type { Figure } from '../report.ts';
import { addItem, answerOf, isBusy, readRequest, writeRequest } from '../service.ts';

/** Of each data space. */
const writers = 2;
const readers = 1;
const timeoutMs = 60_000;
const busyPauseMs = 100;

/** The answers to clients of some data spaces since the last reset. */
interface Tally {
  adds: number;
  reads: number;
  /** 503 with `Retry-After`; the client sends the same request again. */
  refused: number;
  /** Times of single answers, ms. */
  readonly answerTimes: number[];
}

const newTally = (): Tally => ({ adds: 0, reads: 0, refused: 0, answerTimes: [] });

export class NodesLoad {
  readonly violations: Violation[] = [];
  readonly #port: number;
  readonly #spaces: readonly MadeSpace[];
  /** Number of answered adds, in total. */
  readonly #added = new Map<number, number>();
  #tallies = new Map<number, Tally>();
  #isOver = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(port: number, spaces: readonly MadeSpace[]) {
    this.#port = port;
    this.#spaces = spaces;
    this.startPhase();
  }

  begin(): void {
    this.#working = Promise.all(
      this.#spaces.flatMap((space) => [
        ...Array.from({ length: writers }, (_, number) => this.#write(space, `w${number}`)),
        ...Array.from({ length: readers }, () => this.#read(space)),
      ]),
    );
    // Errors are thrown by `end`.
    this.#working.catch(() => {});
  }

  /** Resolves when every request is settled. @throws Lost when an answer is missing */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  /** Counts anew. */
  startPhase(): void {
    this.#tallies = new Map(this.#spaces.map(({ spaceId }) => [spaceId, newTally()]));
  }

  /** The tally of the present phase. @param spaceIds all by default */
  tally(spaceIds: readonly number[] = this.#spaces.map(({ spaceId }) => spaceId)): Tally {
    const chosen = spaceIds.map((spaceId) => this.#tallies.get(spaceId) ?? newTally());
    const sum = (of: (tally: Tally) => number) => chosen.reduce((total, tally) => total + of(tally), 0);
    return {
      adds: sum(({ adds }) => adds),
      reads: sum(({ reads }) => reads),
      refused: sum(({ refused }) => refused),
      answerTimes: chosen.flatMap(({ answerTimes }) => answerTimes),
    };
  }

  figures(name: string, tally: Tally = this.tally()): Figure[] {
    const { adds, reads, refused, answerTimes } = tally;
    const times = `${percentile(answerTimes, 0.5).toFixed(0)}, ${percentile(answerTimes, 0.99).toFixed(0)}, ${Math.max(0, ...answerTimes).toFixed(0)}`;
    return [
      { name: `${name}: adds answered`, value: adds },
      { name: `${name}: reads answered`, value: reads },
      { name: `${name}: answers 503 with Retry-After`, value: refused },
      { name: `${name}: ms to an answer, median, 99 %, slowest`, value: times },
    ];
  }

  /** Checks that the storage has every answered add once, and nothing else. @returns their number */
  async compare(storage: string): Promise<number> {
    let records = 0;
    for (const space of this.#spaces) {
      const found = await look(storage, space);
      const added = this.#added.get(space.spaceId) ?? 0;
      records += found.records;
      for (const message of differences(found, { records: added, transactions: added })) {
        this.violations.push({ rule: 'answered is kept', message: `data space ${space.spaceId}: ${message}` });
      }
    }
    return records;
  }

  async #write(space: MadeSpace, name: string): Promise<void> {
    const connection = new Connection(this.#port);
    for (let number = 0; !this.#isOver; number++) {
      const transaction = { id: `${name}-${number}`, operation: 'add', items: [addItem(null)] } as const;
      const reply = await this.#settled(space, connection, writeRequest(space, name, transaction, ''));
      const answer = this.#judged(space, reply, () => answerOf(reply)?.kind);
      if (answer !== 'accepted' && answer !== 'replayed') continue;
      this.#added.set(space.spaceId, (this.#added.get(space.spaceId) ?? 0) + 1);
      this.#tally(space).adds++;
    }
    connection.close();
  }

  async #read(space: MadeSpace): Promise<void> {
    const connection = new Connection(this.#port);
    while (!this.#isOver) {
      const reply = await this.#settled(space, connection, readRequest(space, 'nobody'));
      if (this.#judged(space, reply, () => reply.status) === 200) this.#tally(space).reads++;
    }
    connection.close();
  }

  /** Sends the request until the service is not busy. */
  async #settled(space: MadeSpace, connection: Connection, bytes: Buffer): Promise<Reply> {
    for (;;) {
      const sent = performance.now();
      const reply = await connection.exchange(bytes, timeoutMs);
      this.#tally(space).answerTimes.push(performance.now() - sent);
      if (!isBusy(reply)) return reply;
      this.#tally(space).refused++;
      await sleep(busyPauseMs);
    }
  }

  #judged<R>({ spaceId }: MadeSpace, { status, body }: Reply, read: () => R): R | null {
    if (status === 200 || body.startsWith('{"errCode":211,')) return read();
    const message = `data space ${spaceId}: answered with ${status}: ${body}`;
    this.violations.push({ rule: 'every request is settled', message });
    return null;
  }

  #tally({ spaceId }: MadeSpace): Tally {
    return this.#tallies.get(spaceId) as Tally;
  }
}
