/**
 * Fail-overs under load, again and again: the primary of two PostgreSQL servers is killed with all its processes, the
 * synchronous standby promoted, and the former primary made anew as its standby. What was answered is there, every request is
 * answered or told that the service is busy, and the service finds the new primary by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pair, startPair } from '../database/pair.ts';
import { Connection, type Reply } from './connection.ts';
import { prepare, proofSettings } from './folder.ts';
import { judge, judgeAnswers, type Transaction, type Violation } from './history.ts';
import { lookingInto, secretKey } from './place.ts';
import { type Running, startServer } from './process.ts';
import { type Random, seeded } from './random.ts';
import { countsByRule, median, type Proof, type Task } from './report.ts';
import type { Space } from './server.ts';
import { addItem, isBusy, readRequest, writeRequest } from './service.ts';
import { Attempts, Family, type Mix, newTally } from './workload.ts';

const clients = 16;
/** Of load before the primary is killed, and without a primary before the standby is promoted. */
const loadMs = { least: 150, most: 600 };
const awayMs = { least: 20, most: 400 };
/** Of load on the new primary. */
const afterMs = 150;
/** From the promotion until a write and a read are answered. */
const backMsMax = 10_000;
const probePauseMs = 5;

const mix: Mix = {
  add: 0.5,
  update: 0.3,
  remove: 0.1,
  itemsMax: 4,
  twin: 0.05,
  rival: 0.03,
  repeat: 0.05,
  foreign: 0.03,
  fault: null,
  timeoutMs: 30_000,
  shared: false,
};

export interface FailoverTask extends Task {
  readonly cycles: number;
}

export async function proveFailover({ cycles, seed, progress }: FailoverTask): Promise<Proof> {
  const pair = await startPair();
  try {
    const stored = { storage: pair.url, secretKey };
    const { spaces } = await prepare({ stored }, 1);
    const server = await startServer(stored, { settings: proofSettings });
    const run = new FailoverRun(pair, server, spaces[0]!, seeded(seed));
    const tellEvery = Math.ceil(cycles / 20);
    try {
      for (let cycle = 0; cycle < cycles; cycle++) {
        await run.cycle(cycle);
        if ((cycle + 1) % tellEvery === 0)
          progress(`${cycle + 1} of ${cycles} fail-overs, ${run.violations.length} violations`);
      }
    } finally {
      await server.stop();
    }
    return await run.result();
  } finally {
    await pair.stop();
  }
}

class FailoverRun {
  readonly violations: Violation[] = [];
  readonly #pair: Pair;
  readonly #server: Running;
  readonly #space: Space;
  readonly #random: Random;
  readonly #tally = newTally();
  readonly #writeBackMs: number[] = [];
  readonly #readBackMs: number[] = [];
  #transactions = 0;
  #records = 0;
  #busy = 0;
  #answers = 0;
  #probes = 0;

  constructor(pair: Pair, server: Running, space: Space, random: Random) {
    this.#pair = pair;
    this.#server = server;
    this.#space = space;
    this.#random = random;
  }

  async cycle(cycle: number): Promise<void> {
    const families = Array.from({ length: clients }, (_, client) => this.#family(`cycle-${cycle}-${client}`));
    const random = this.#random;
    let isWorking = true;
    const working = families.map(async (family) => {
      const draws = seeded(random.below(2 ** 31));
      while (isWorking) await family.step(draws, mix);
    });
    const load = Promise.all(working);
    await Promise.race([this.#failOver(), load]);
    await Promise.race([sleep(afterMs), load]);
    isWorking = false;
    await load;
    // What was carried out before the new standby was there is safe before the next kill.
    await Promise.all([this.#pair.rebuild(), ...families.map((family) => this.#verify(family))]);
  }

  async result(): Promise<Proof> {
    const found = await lookingInto(this.#pair.primary.url).look(this.#space);
    const say = (message: string) => this.violations.push({ rule: 'answered is kept', message });
    if (found.records !== this.#records) say(`There are ${found.records} records; ${this.#records} were answered.`);
    if (found.transactions !== this.#transactions)
      say(`The history has ${found.transactions} transactions; ${this.#transactions} were answered.`);
    for (const error of found.errors) say(`integrity check: ${error}`);
    const { violations } = this;
    return {
      violations,
      figures: [
        { name: 'fail-overs', value: this.#writeBackMs.length },
        { name: 'clients', value: clients },
        { name: 'batches', value: this.#tally.batches },
        { name: 'requests', value: this.#answers },
        { name: 'answered as busy, to try again', value: this.#busy },
        { name: 'transactions carried out', value: this.#transactions },
        { name: 'answered again from the history', value: this.#tally.replays },
        {
          name: 'acknowledged writes lost',
          value: violations.filter(({ rule }) => rule === 'answered is kept').length,
        },
        ...countsByRule(violations, [
          'at most once',
          'all or nothing',
          'same replay',
          'no lost update',
          'reads go forward',
        ]),
        { name: 'promotion to the first write answered, ms', value: spread(this.#writeBackMs) },
        { name: 'promotion to the first read answered, ms', value: spread(this.#readBackMs) },
      ],
    };
  }

  #family(name: string): Family {
    return new Family({
      ports: [this.#server.port],
      space: this.#space,
      name,
      mix,
      tally: this.#tally,
      attempts: new Attempts(),
      observe: (reply) => this.#observe(reply),
    });
  }

  /** An answer of another kind than those that there are makes its reader throw. */
  #observe(reply: Reply): void {
    this.#answers++;
    if (isBusy(reply)) this.#busy++;
    else if (reply.status >= 500) {
      this.violations.push({
        rule: 'every request is settled',
        message: `An answer was ${reply.status}: ${reply.body}`,
      });
    }
  }

  async #failOver(): Promise<void> {
    const random = this.#random;
    await sleep(loadMs.least + random.below(loadMs.most - loadMs.least));
    await this.#pair.killPrimary();
    await sleep(awayMs.least + random.below(awayMs.most - awayMs.least));
    const since = performance.now();
    const promoted = this.#pair.promote();
    const [writeBackMs, readBackMs] = await Promise.all([
      this.#back(since, 'write'),
      this.#back(since, 'read'),
      promoted,
    ]);
    this.#writeBackMs.push(writeBackMs);
    this.#readBackMs.push(readBackMs);
    const worst = Math.max(writeBackMs, readBackMs);
    if (worst > backMsMax) {
      const message = `The service was back ${Math.round(worst)} ms after the promotion.`;
      this.violations.push({ rule: 'every request is settled', message });
    }
  }

  /** Sends a request of its own, first when the promotion begins, until it is answered. */
  async #back(since: number, kind: 'write' | 'read'): Promise<number> {
    const connection = new Connection(this.#server.port);
    const bytes = kind === 'write' ? this.#probe() : readRequest(this.#space, 'nobody');
    try {
      for (;;) {
        const reply = await connection.exchange(bytes, mix.timeoutMs);
        this.#observe(reply);
        if (!isBusy(reply)) return performance.now() - since;
        await sleep(probePauseMs);
      }
    } finally {
      connection.close();
    }
  }

  #probe(): Buffer {
    this.#transactions++;
    this.#records++;
    const probe: Pick<Transaction, 'id' | 'operation' | 'items'> = {
      id: `probe-${this.#probes++}`,
      operation: 'add',
      items: [addItem(null)],
    };
    return writeRequest(this.#space, 'probe', probe, 'first');
  }

  async #verify(family: Family): Promise<void> {
    await family.settle();
    const history = await family.history();
    this.violations.push(...judge(history));
    this.#transactions += judgeAnswers(history.transactions).carried.length;
    this.#records += history.final.length;
    family.close();
  }
}

function spread(values: readonly number[]): string {
  return `median ${Math.round(median(values))}, at most ${Math.round(Math.max(...values))}`;
}
