/**
 * Clients at work on a service while something happens to its database, over and over: every request is answered or told
 * that the service is busy, and what was answered is there afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Reply } from '../client/connection.ts';
import { type Random, seeded } from '../machine/random.ts';
import type { Space } from '../service/spaces.ts';
import { judge, judgeAnswers, type Violation } from './history.ts';
import { differences, type Installation } from './installation.ts';
import { countsByRule, type Figure } from './report.ts';
import { addItem, isBusy, readRequest, writeRequest } from './service.ts';
import { Attempts, Family, type Mix, newTally } from './workload.ts';

const clients = 16;
/** Of load after what happened. */
const afterMs = 150;
const probePauseMs = 5;

const mix: Mix = {
  add: 0.5,
  update: 0.3,
  remove: 0.1,
  itemsMax: 4,
  replay: 0.05,
  rival: 0.03,
  repeat: 0.05,
  foreign: 0.03,
  fault: null,
  timeoutMs: 30_000,
  shared: false,
};

/** How long a write and a read, sent at a moment, took to be answered. */
export interface Back {
  readonly writeMs: number;
  readonly readMs: number;
}

export class UnderLoad {
  readonly violations: Violation[] = [];
  readonly #port: number;
  readonly #space: Space;
  readonly #random: Random;
  readonly #tally = newTally();
  #families: readonly Family[] = [];
  #rounds = 0;
  #transactions = 0;
  #records = 0;
  #busy = 0;
  #answers = 0;

  constructor(port: number, space: Space, random: Random) {
    this.#port = port;
    this.#space = space;
    this.#random = random;
  }

  /** Has clients at work before, while and after something happens; `verify` has to follow. */
  async during(happens: () => Promise<void>): Promise<void> {
    const round = this.#rounds++;
    this.#families = Array.from({ length: clients }, (_, client) => this.#family(`round-${round}-${client}`));
    let isWorking = true;
    const working = this.#families.map(async (family) => {
      const draws = seeded(this.#random.below(2 ** 31));
      while (isWorking) await family.step(draws, mix);
    });
    const load = Promise.all(working);
    try {
      await Promise.race([happens(), load]);
      await Promise.race([sleep(afterMs), load]);
    } finally {
      isWorking = false;
      await load;
    }
  }

  /** Judges what the clients of the last round were told. */
  async verify(): Promise<void> {
    await Promise.all(
      this.#families.map(async (family) => {
        await family.settle();
        const history = await family.history();
        this.violations.push(...judge(history));
        this.#transactions += judgeAnswers(history.transactions).carried.length;
        this.#records += history.final.length;
        family.close();
      }),
    );
  }

  /** Sends a write and a read now, and again whenever the service is busy, until they are answered. */
  async back(): Promise<Back> {
    const since = performance.now();
    const number = this.#records;
    this.#transactions++;
    this.#records++;
    const probe = { id: `probe-${this.#rounds}-${number}`, operation: 'add', items: [addItem(null)] } as const;
    const requests = [writeRequest(this.#space, 'probe', probe, 'first'), readRequest(this.#space, 'nobody')];
    const [writeMs, readMs] = await Promise.all(requests.map((bytes) => this.#answered(bytes, since)));
    return { writeMs: writeMs as number, readMs: readMs as number };
  }

  /** Looks into the database: it has what was answered over all rounds, and nothing else. */
  async compare(place: Pick<Installation, 'look'>): Promise<void> {
    const found = await place.look(this.#space);
    const answered = { records: this.#records, transactions: this.#transactions };
    for (const message of differences(found, answered)) this.violations.push({ rule: 'answered is kept', message });
  }

  figures(): Figure[] {
    const { violations } = this;
    return [
      { name: 'clients', value: clients },
      { name: 'batches', value: this.#tally.batches },
      { name: 'answers', value: this.#answers },
      { name: 'answers that the service is busy', value: this.#busy },
      { name: 'transactions carried out', value: this.#transactions },
      { name: 'answered again from the history', value: this.#tally.replays },
      { name: 'acknowledged writes lost', value: violations.filter(({ rule }) => rule === 'answered is kept').length },
      ...countsByRule(violations, [
        'at most once',
        'all or nothing',
        'same replay',
        'no lost update',
        'reads go forward',
        'every request is settled',
      ]),
    ];
  }

  #family(name: string): Family {
    return new Family({
      ports: [this.#port],
      space: this.#space,
      name,
      mix,
      tally: this.#tally,
      attempts: new Attempts(),
      observe: (reply) => this.#observe(reply),
    });
  }

  #observe(reply: Reply): void {
    this.#answers++;
    if (isBusy(reply)) this.#busy++;
  }

  async #answered(bytes: Buffer, since: number): Promise<number> {
    const connection = new Connection(this.#port);
    try {
      for (;;) {
        const reply = await connection.exchange(bytes, mix.timeoutMs);
        this.#observe(reply);
        if (isBusy(reply)) {
          await sleep(probePauseMs);
          continue;
        }
        if (reply.status >= 500) {
          const message = `A probe was answered with the status ${reply.status}: ${reply.body}`;
          this.violations.push({ rule: 'every request is settled', message });
        }
        return performance.now() - since;
      }
    } finally {
      connection.close();
    }
  }
}
