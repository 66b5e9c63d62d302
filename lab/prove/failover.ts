/**
 * Repeated fail-overs under load: the primary of two PostgreSQL servers is killed with all its processes, the
 * synchronous standby promoted, and the former primary rebuilt as its standby. Acknowledged writes are kept, and the
 * service finds the new primary by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startPair } from '../machine/pair.ts';
import { seeded } from '../machine/random.ts';
import { secretKey } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import { startServer } from '../service/process.ts';
import { prepare, proofSettings } from './folder.ts';
import type { Proof, Task } from './report.ts';
import { type Back, UnderLoad } from './under-load.ts';

/** Time under load before the primary is killed, and time without a primary before the standby is promoted. */
const loadMs = { least: 150, most: 600 };
const awayMs = { least: 20, most: 400 };
/** Limit from the promotion until a write and a read are answered. */
const backMsMax = 10_000;

export interface FailoverTask extends Task {
  readonly cycles: number;
}

export async function proveFailover({ cycles, seed, progress }: FailoverTask): Promise<Proof> {
  const pair = await startPair();
  try {
    const stored = { storage: pair.url, secretKey };
    const [space] = await prepare(stored, 1);
    const server = await startServer(stored, { settings: proofSettings });
    const random = seeded(seed);
    const load = new UnderLoad(server.port, space!, random);
    const { violations } = load.campaign;
    const between = ({ least, most }: typeof loadMs) => sleep(least + random.below(most - least));
    const backs: Back[] = [];

    async function failOver(): Promise<void> {
      await between(loadMs);
      await pair.killPrimary();
      await between(awayMs);
      const [back] = await Promise.all([load.back(), pair.promote()]);
      backs.push(back);
      const worst = Math.max(back.writeMs, back.readMs);
      if (worst <= backMsMax) return;
      const message = `The service was back ${Math.round(worst)} ms after the promotion.`;
      violations.push({ rule: 'every request is settled', message });
    }

    try {
      const tellEvery = Math.ceil(cycles / 20);
      for (let cycle = 1; cycle <= cycles; cycle++) {
        await load.during(failOver);
        // Writes made without a standby must be on the new one before the next kill.
        await Promise.all([pair.rebuild(), load.verify()]);
        if (cycle % tellEvery === 0) progress(`${cycle} of ${cycles} fail-overs, ${violations.length} violations`);
      }
    } finally {
      await server.stop();
    }
    await load.campaign.compare(pair.primary.url);
    return {
      violations,
      figures: [
        { name: 'fail-overs', value: backs.length },
        ...load.figures(),
        { name: 'from the promotion to a write answered, ms', value: spread(backs.map(({ writeMs }) => writeMs)) },
        { name: 'from the promotion to a read answered, ms', value: spread(backs.map(({ readMs }) => readMs)) },
      ],
    };
  } finally {
    await pair.stop();
  }
}

function spread(values: readonly number[]): string {
  return `median ${Math.round(median(values))}, at most ${Math.round(Math.max(...values))}`;
}
