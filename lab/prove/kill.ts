/**
 * `kill -9` while clients write, again and again: what was answered is there after the restart, what was not is there
 * wholly or not at all, and sending it again does it once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../machine/random.ts';
import { median } from '../machine/statistics.ts';
import { type Running, type StandBy, standBy } from '../service/process.ts';
import { copyOf, inInstallation, type Prepared, prepare, proofSettings } from './folder.ts';
import { judge, judgeAnswers, type Rule, type Seen, type Transaction, type Violation } from './history.ts';
import { differences } from './installation.ts';
import { countsByRule, type Proof, type Task } from './report.ts';
import { Attempts, Family, type Mix, newTally, ServerGone, type Tally } from './workload.ts';

const clients = 16;
const loadMsMax = 150;
/** After so many kills a fresh place is used, as checking a whole data space takes longer the more is in it. */
const cyclesPerInstallation = 100;
/** How often the next server is killed too, while it opens what the last one left. */
const killedWhileOpening = 0.1;
const openingMsMax = 250;
const lanes = 2;

const mix: Mix = {
  add: 0.55,
  update: 0.35,
  remove: 0.1,
  itemsMax: 5,
  replay: 0.05,
  rival: 0.03,
  repeat: 0.05,
  foreign: 0.03,
  fault: null,
  timeoutMs: 30_000,
  shared: false,
};

export interface KillTask extends Task {
  readonly cycles: number;
  /** Ends the run after the present cycles; what there was up to then is judged and told. */
  readonly stop?: AbortSignal;
}

interface Counts {
  cycles: number;
  opening: number;
  acknowledged: number;
  unanswered: number;
  carriedUnanswered: number;
  integrityErrors: number;
  readonly startMs: number[];
}

export function proveKill({ cycles, seed, server, stop, progress }: KillTask): Promise<Proof> {
  return inInstallation(server, async (installation) => {
    const made = await prepare(installation, 1);
    const tally = newTally();
    const counts: Counts = {
      cycles: 0,
      opening: 0,
      acknowledged: 0,
      unanswered: 0,
      carriedUnanswered: 0,
      integrityErrors: 0,
      startMs: [],
    };
    const violations: Violation[] = [];
    const tellEvery = Math.max(10, Math.ceil(cycles / 20));
    let places = 0;

    /** One server after the other on one place; two lanes use both cores while the other waits for a disk or a start. */
    async function lane(): Promise<void> {
      while (places * cyclesPerInstallation < cycles && stop?.aborted !== true) {
        const number = places++;
        const limit = Math.min(cyclesPerInstallation, cycles - number * cyclesPerInstallation);
        const data = await copyOf(made, `run-${number}`);
        const work = new KillRun(data, seeded(seed, number), tally, counts, violations);
        await work.run(limit, () => {
          counts.cycles++;
          if (counts.cycles % tellEvery === 0)
            progress(`${counts.cycles} of ${cycles} kills, ${violations.length} violations`);
          return stop?.aborted !== true;
        });
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    return { violations, figures: figuresOf(tally, counts, violations) };
  });
}

function figuresOf(tally: Tally, counts: Counts, violations: readonly Violation[]): Proof['figures'] {
  return [
    { name: 'kill -9', value: counts.cycles },
    { name: 'and while the next one opened the storage', value: counts.opening },
    { name: 'batches sent', value: tally.batches },
    { name: 'batches answered before the kill', value: counts.acknowledged },
    { name: 'batches without an answer', value: counts.unanswered },
    { name: 'of these carried out before the kill', value: counts.carriedUnanswered },
    { name: 'acknowledged writes lost', value: countOf(violations, 'answered is kept') },
    ...countsByRule(violations, [
      'at most once',
      'all or nothing',
      'same replay',
      'no lost update',
      'every request is settled',
    ]),
    { name: 'integrity errors', value: counts.integrityErrors },
    { name: 'median time to open and answer, ms', value: Math.round(median(counts.startMs)) },
  ];
}

function countOf(violations: readonly Violation[], rule: Rule): number {
  return violations.filter((violation) => violation.rule === rule).length;
}

/** The kills of one place. */
class KillRun {
  readonly #data: Prepared;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #counts: Counts;
  readonly #violations: Violation[];
  #families: Family[] = [];
  #transactions = 0;
  #records = 0;

  constructor(data: Prepared, random: Random, tally: Tally, counts: Counts, violations: Violation[]) {
    this.#data = data;
    this.#random = random;
    this.#tally = tally;
    this.#counts = counts;
    this.#violations = violations;
  }

  /** @param killed called after each kill; false ends the run there */
  async run(cycles: number, killed: () => boolean): Promise<void> {
    let next = standBy();
    for (let cycle = 0; cycle < cycles; cycle++) {
      const ready = await this.#maybeKillOpening(await next, cycle);
      const server = await this.#open(ready);
      next = standBy();
      await this.#verify(server);
      await this.#load(server, cycle);
      if (!killed()) break;
    }
    const server = await this.#open(await next);
    await this.#verify(server);
    await server.stop();
    await this.#verifyStored();
    await this.#data.installation.remove();
  }

  async #maybeKillOpening(ready: StandBy, cycle: number): Promise<StandBy> {
    if (cycle === 0 || !this.#random.chance(killedWhileOpening)) return ready;
    ready.begin(this.#data.installation.stored);
    await sleep(this.#random.below(openingMsMax));
    await ready.kill();
    this.#counts.opening++;
    return standBy();
  }

  async #open(ready: StandBy): Promise<Running> {
    const begin = performance.now();
    const server = await ready.open(this.#data.installation.stored, { settings: proofSettings });
    this.#counts.startMs.push(performance.now() - begin);
    return server;
  }

  async #load(server: Running, cycle: number): Promise<void> {
    const [space] = this.#data.spaces;
    const attempts = new Attempts();
    this.#families = Array.from({ length: clients }, (_, client) => {
      const name = `cycle-${cycle}-${client}`;
      return new Family({ ports: [server.port], space: space!, name, mix, tally: this.#tally, attempts });
    });
    const random = this.#random;
    const lives = random.below(loadMsMax);
    const draws = this.#families.map(() => seeded(random.below(2 ** 31)));
    const working = this.#families.map(async (family, index) => {
      try {
        for (;;) await family.step(draws[index]!, mix);
      } catch (error) {
        if (!(error instanceof ServerGone)) throw error;
      }
    });
    await sleep(lives);
    await server.kill();
    await Promise.all(working);
  }

  /** Everything of the cycle before, through the service that was started after it, and then what is stored itself. */
  async #verify(server: Running): Promise<void> {
    await Promise.all(this.#families.map((family) => this.#verifyFamily(family, server)));
    if (this.#families.length === 0) return;
    this.#families = [];
    for (const error of await this.#data.installation.errors(this.#data.spaces[0]!)) {
      this.#counts.integrityErrors++;
      this.#violations.push({ rule: 'answered is kept', message: `integrity check: ${error}` });
    }
  }

  async #verifyFamily(family: Family, server: Running): Promise<void> {
    family.reconnect(server.port);
    const found = await family.look();
    const open = family.open();
    this.#counts.acknowledged += family.transactions.length - open.length;
    this.#counts.unanswered += open.length;
    for (const transaction of open) this.#violations.push(...judgeUnanswered(transaction, family.transactions, found));
    await family.settle();
    this.#counts.carriedUnanswered += open.filter(
      ({ attempts }) => attempts.at(-1)?.heard?.answer.kind === 'replayed',
    ).length;
    const history = await family.history();
    this.#violations.push(...judge(history));
    this.#transactions += judgeAnswers(history.transactions).carried.length;
    this.#records += history.final.length;
    family.close();
  }

  /** At the end of a place: what is stored as a whole is what was answered over all its cycles, and nothing else. */
  async #verifyStored(): Promise<void> {
    const found = await this.#data.installation.look(this.#data.spaces[0]!);
    const answered = { records: this.#records, transactions: this.#transactions };
    for (const message of differences(found, answered)) this.#violations.push({ rule: 'answered is kept', message });
    this.#counts.integrityErrors += found.errors.length;
  }
}

/** Before it is sent again: its marks are there for each of its items or for none. */
export function judgeUnanswered(
  transaction: Transaction,
  all: readonly Transaction[],
  found: readonly Seen[],
): Violation[] {
  const { id, operation, items } = transaction;
  const sharing = all.filter((other) => other.id === id);
  if (operation === 'delete') {
    const named = new Set(items.map(({ objectId }) => objectId));
    const left = found.filter(({ objectId }) => named.has(objectId)).length;
    if (left === 0 || left === named.size) return [];
    return [{ rule: 'all or nothing', message: `${id}: ${left} of the ${named.size} records it deletes are there.` }];
  }
  const marks = found.filter(({ mark }) => mark === id).length;
  if (marks === 0 || sharing.some((other) => other.items.length === marks)) return [];
  return [{ rule: 'all or nothing', message: `${id}: ${marks} of its ${items.length} marks are there.` }];
}
