/**
 * Repeated `kill -9` while clients write: after the restart, answered batches are stored; unanswered ones are stored
 * completely or not at all, and sending them again writes them once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Random, seeded } from '../machine/random.ts';
import type { Scratch } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import { type Running, type StandBy, standBy } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { Campaign } from './campaign.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import type { Seen, Transaction, Violation } from './history.ts';
import { integrityErrors } from './installation.ts';
import { countsByRule, type Proof, type Task, usualRules } from './report.ts';
import { type Family, type Mix, newTally, ServerGone, type Tally, usualMix } from './workload.ts';

const clients = 16;
const loadMsMax = 150;
/** After this many kills, fresh storage is used, because checking a data space takes longer the more it holds. */
const cyclesPerPlace = 100;
/** The share of kills after which the next server is killed as well, while it opens the storage. */
const killedWhileOpening = 0.1;
const openingMsMax = 250;
const lanes = 2;

const mix: Mix = { ...usualMix, add: 0.55, update: 0.35, itemsMax: 5 };

export interface KillTask extends Task {
  readonly cycles: number;
  /** Ends the run after the present cycles; the results so far are judged and reported. */
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
  return inStorage(server, async (scratch) => {
    const [space] = await prepare(scratch.settings, 1);
    const tally = newTally();
    const numbers = { cycles: 0, opening: 0, acknowledged: 0, unanswered: 0, carriedUnanswered: 0, integrityErrors: 0 };
    const counts: Counts = { ...numbers, startMs: [] };
    const violations: Violation[] = [];
    const tellEvery = Math.max(10, Math.ceil(cycles / 20));
    let places = 0;

    /**
     * Each lane runs one server after another on one storage; with two lanes, one uses the cores while the other waits
     * for the disk or a start.
     */
    async function lane(): Promise<void> {
      while (places * cyclesPerPlace < cycles && stop?.aborted !== true) {
        const number = places++;
        const limit = Math.min(cyclesPerPlace, cycles - number * cyclesPerPlace);
        const place = await scratch.copy();
        const campaign = new Campaign({ space: space!, mix, tally, violations });
        const work = new KillRun(place, space!, campaign, seeded(seed, number), counts);
        await work.run(limit, () => {
          counts.cycles++;
          if (counts.cycles % tellEvery === 0)
            progress(`${counts.cycles} of ${cycles} kills, ${violations.length} violations`);
          return stop?.aborted !== true;
        });
        await place.remove();
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
    ...countsByRule(violations, usualRules),
    { name: 'integrity errors', value: counts.integrityErrors },
    { name: 'median time to open and answer, ms', value: Math.round(median(counts.startMs)) },
  ];
}

/** The kills on one storage. */
class KillRun {
  readonly #place: Scratch;
  readonly #space: Space;
  readonly #campaign: Campaign;
  readonly #random: Random;
  readonly #counts: Counts;
  #families: Family[] = [];

  constructor(place: Scratch, space: Space, campaign: Campaign, random: Random, counts: Counts) {
    this.#place = place;
    this.#space = space;
    this.#campaign = campaign;
    this.#random = random;
    this.#counts = counts;
  }

  /** @param killed called after each kill; false ends the run */
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
    const { errors } = await this.#campaign.compare(this.#place.settings.storage);
    this.#counts.integrityErrors += errors.length;
  }

  async #maybeKillOpening(ready: StandBy, cycle: number): Promise<StandBy> {
    if (cycle === 0 || !this.#random.chance(killedWhileOpening)) return ready;
    ready.begin(this.#place.settings);
    await sleep(this.#random.below(openingMsMax));
    await ready.kill();
    this.#counts.opening++;
    return standBy();
  }

  async #open(ready: StandBy): Promise<Running> {
    const begin = performance.now();
    const server = await ready.open(this.#place.settings, { settings: proofSettings });
    this.#counts.startMs.push(performance.now() - begin);
    return server;
  }

  async #load(server: Running, cycle: number): Promise<void> {
    const random = this.#random;
    const lives = random.below(loadMsMax);
    this.#families = Array.from({ length: clients }, (_, client) =>
      this.#campaign.family(`cycle-${cycle}-${client}`, [server.port]),
    );
    const working = this.#families.map(async (family) => {
      const draws = seeded(random.below(2 ** 31));
      try {
        for (;;) await family.step(draws);
      } catch (error) {
        if (!(error instanceof ServerGone)) throw error;
      }
    });
    await sleep(lives);
    await server.kill();
    await Promise.all(working);
  }

  /** Verifies the previous cycle through the newly started service, and then in the storage itself. */
  async #verify(server: Running): Promise<void> {
    await Promise.all(this.#families.map((family) => this.#verifyFamily(family, server)));
    if (this.#families.length === 0) return;
    this.#families = [];
    for (const error of await integrityErrors(this.#place.settings.storage, this.#space)) {
      this.#counts.integrityErrors++;
      this.#campaign.violations.push({ rule: 'answered is kept', message: `integrity check: ${error}` });
    }
  }

  async #verifyFamily(family: Family, server: Running): Promise<void> {
    family.reconnect(server.port);
    const found = await family.look();
    const open = family.open();
    this.#counts.acknowledged += family.transactions.length - open.length;
    this.#counts.unanswered += open.length;
    for (const transaction of open)
      this.#campaign.violations.push(...judgeUnanswered(transaction, family.transactions, found));
    await family.settle();
    this.#counts.carriedUnanswered += open.filter(
      ({ attempts }) => attempts.at(-1)?.heard?.answer.kind === 'replayed',
    ).length;
    await this.#campaign.conclude(family);
  }
}

/** Before an unanswered batch is sent again: its mark must exist for all of its items or for none. */
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
