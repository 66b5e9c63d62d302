/**
 * Clients use a service while its database is disturbed repeatedly: every request is answered or refused as busy, and
 * what was acknowledged is stored afterwards.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Reply } from '../client/connection.ts';
import { type Random, seeded } from '../machine/random.ts';
import type { Space } from '../service/spaces.ts';
import { Campaign } from './campaign.ts';
import { countsByRule, type Figure, usualRules } from './report.ts';
import { addItem, isBusy, readRequest, writeRequest } from './service.ts';
import { type Family, usualMix } from './workload.ts';

const clients = 16;
/** Time under load after the disturbance. */
const afterMs = 150;
const probePauseMs = 5;

/** How long a write and a read, sent at one moment, took to be answered. */
export interface Back {
  readonly writeMs: number;
  readonly readMs: number;
}

export class UnderLoad {
  readonly campaign: Campaign;
  readonly #port: number;
  readonly #space: Space;
  readonly #random: Random;
  #families: readonly Family[] = [];
  #rounds = 0;
  #busy = 0;
  #answers = 0;

  constructor(port: number, space: Space, random: Random) {
    this.#port = port;
    this.#space = space;
    this.#random = random;
    this.campaign = new Campaign({ space, mix: usualMix, observe: (reply) => this.#observe(reply) });
  }

  /** Runs clients before, during and after a disturbance; `verify` must follow. */
  async during(happens: () => Promise<void>): Promise<void> {
    const round = this.#rounds++;
    this.#families = Array.from({ length: clients }, (_, client) =>
      this.campaign.family(`round-${round}-${client}`, [this.#port]),
    );
    let isWorking = true;
    const working = this.#families.map(async (family) => {
      const draws = seeded(this.#random.below(2 ** 31));
      while (isWorking) await family.step(draws);
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

  /** Checks the answers to the clients of the last round. */
  async verify(): Promise<void> {
    await Promise.all(
      this.#families.map(async (family) => {
        await family.settle();
        await this.campaign.conclude(family);
      }),
    );
  }

  /** Sends a write and a read now, and again whenever the service is busy, until they are answered. */
  async back(): Promise<Back> {
    const since = performance.now();
    this.campaign.transactions++;
    const probe = {
      id: `probe-${this.#rounds}-${this.campaign.records++}`,
      operation: 'add',
      items: [addItem(null)],
    } as const;
    const requests = [writeRequest(this.#space, 'probe', probe, 'first'), readRequest(this.#space, 'nobody')];
    const [writeMs, readMs] = await Promise.all(requests.map((bytes) => this.#answered(bytes, since)));
    return { writeMs: writeMs as number, readMs: readMs as number };
  }

  figures(): Figure[] {
    const { violations, tally, transactions } = this.campaign;
    return [
      { name: 'clients', value: clients },
      { name: 'batches', value: tally.batches },
      { name: 'answers', value: this.#answers },
      { name: 'answers that the service is busy', value: this.#busy },
      { name: 'transactions carried out', value: transactions },
      { name: 'answered again from the history', value: tally.replays },
      ...countsByRule(violations, [...usualRules, 'reads go forward']),
    ];
  }

  #observe(reply: Reply): void {
    this.#answers++;
    if (isBusy(reply)) this.#busy++;
  }

  async #answered(bytes: Buffer, since: number): Promise<number> {
    const connection = new Connection(this.#port);
    try {
      for (;;) {
        const reply = await connection.exchange(bytes, usualMix.timeoutMs);
        this.#observe(reply);
        if (isBusy(reply)) {
          await sleep(probePauseMs);
          continue;
        }
        if (reply.status >= 500) {
          const message = `A probe was answered with the status ${reply.status}: ${reply.body}`;
          this.campaign.violations.push({ rule: 'every request is settled', message });
        }
        return performance.now() - since;
      }
    } finally {
      connection.close();
    }
  }
}
