/**
 * Runs families of records in one data space during a proof: each family is judged when it is done, and in the end the
 * answers to all of them are compared with the stored data.
 */
import type { Reply } from '../client/connection.ts';
import { seeded } from '../machine/random.ts';
import type { Space } from '../service/spaces.ts';
import { judge, judgeAnswers, type Rule, type Violation } from './history.ts';
import { differences, type Looked, look } from './installation.ts';
import type { Task } from './report.ts';
import { Attempts, Family, type Mix, newTally, type Tally } from './workload.ts';

export interface CampaignOptions {
  readonly space: Space;
  readonly mix: Mix;
  /** Shared by several campaigns of one proof. */
  readonly tally?: Tally;
  readonly violations?: Violation[];
  /** Called with every answer. */
  readonly observe?: (reply: Reply) => void;
}

/** The total number of batches, and how many families run at once. */
interface Lanes extends Pick<Task, 'seed' | 'progress'> {
  readonly ports: readonly number[];
  readonly lanes: number;
  readonly batches: number;
  /** Awaited before a family is judged, because requests under way may still be executed. */
  readonly settled?: () => Promise<void>;
}

const familyBatches = 40;

export class Campaign {
  readonly attempts = new Attempts();
  readonly tally: Tally;
  readonly violations: Violation[];
  /** Transactions of the judged families. */
  transactions = 0;
  records = 0;
  readonly #options: CampaignOptions;

  constructor(options: CampaignOptions) {
    this.#options = options;
    this.tally = options.tally ?? newTally();
    this.violations = options.violations ?? [];
  }

  /** @param ports one per instance of the service */
  family(name: string, ports: readonly number[]): Family {
    const { space, mix, observe = () => {} } = this.#options;
    return new Family({ ports, space, name, mix, tally: this.tally, attempts: this.attempts, observe });
  }

  /** One family after the other in each lane; each is judged while the next one runs. */
  async inLanes({ ports, lanes, batches, seed, settled, progress }: Lanes): Promise<void> {
    const judging = new Set<Promise<void>>();
    const tellEvery = Math.ceil(batches / familyBatches / 20);
    let families = 0;
    const lane = async () => {
      while (this.tally.batches < batches) {
        const number = families++;
        const family = this.family(`family-${number}`, ports);
        const random = seeded(seed, number);
        while (family.transactions.length < familyBatches && this.tally.batches < batches) await family.step(random);
        const work = Promise.resolve(settled?.()).then(() => this.conclude(family));
        judging.add(work);
        void work.then(() => judging.delete(work));
        if (families % tellEvery === 0)
          progress(`${this.tally.batches} of ${batches} batches, ${this.violations.length} violations`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await Promise.all(judging);
  }

  /** Judges a family whose every request is settled, and ends it. */
  async conclude(family: Family): Promise<void> {
    const history = await family.history();
    this.violations.push(...judge(history));
    this.transactions += judgeAnswers(history.transactions).carried.length;
    this.records += history.final.length;
    family.close();
  }

  /** Checks that the storage has exactly what was acknowledged to all families. @param rule violated by a difference */
  async compare(storage: string, rule: Rule = 'answered is kept'): Promise<Looked> {
    const found = await look(storage, this.#options.space);
    for (const message of differences(found, this)) this.violations.push({ rule, message });
    return found;
  }

  count(rule: Rule): number {
    return this.violations.filter((violation) => violation.rule === rule).length;
  }
}
