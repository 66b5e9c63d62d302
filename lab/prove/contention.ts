/** Many clients change few records while the service's clock is stepped back and forth: no update is lost. */
import { seeded } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { Campaign } from './campaign.ts';
import { inStorage, prepare, proofSettings } from './folder.ts';
import { countsByRule, type Proof, type Task, usualRules } from './report.ts';
import { type Mix, usualMix } from './workload.ts';

const writers = 64;
const readers = 4;
const records = 10;
const roundBatches = 2_000;
const stepMsMax = 3_600_000;
const stepEveryMs = 10;

const changes = { add: 0.05, update: 0.8, remove: 0.04 };
const mix: Mix = { ...usualMix, ...changes, replay: 0.1, rival: 0.05, foreign: 0.05, shared: true };
const onlyReads: Mix = { ...mix, add: 0, update: 0, remove: 0 };

export function proveContention(task: Task & { readonly batches: number }): Promise<Proof> {
  const { batches, seed, server: address, progress } = task;
  return inStorage(address, async ({ settings }) => {
    const [space] = await prepare(settings, 1);
    const server = await startServer(settings, { settings: proofSettings });
    const clock = seeded(seed, 1);
    let steps = 0;
    const stepping = setInterval(() => {
      server.stepClock(Math.round((clock.fraction() * 2 - 1) * stepMsMax));
      steps++;
    }, stepEveryMs);
    const campaign = new Campaign({ space: space!, mix });
    const { tally, violations } = campaign;
    try {
      for (let round = 0; tally.batches < batches; round++) {
        const until = Math.min(batches, tally.batches + roundBatches);
        const family = campaign.family(`round-${round}`, [server.port]);
        await family.addRecords(records);
        const work = async (client: number) => {
          const random = seeded(seed, 2, round, client);
          while (tally.batches < until) await family.step(random, client < writers ? mix : onlyReads);
        };
        await Promise.all(Array.from({ length: writers + readers }, (_, client) => work(client)));
        await campaign.conclude(family);
        progress(`${tally.batches} of ${batches} batches, ${violations.length} violations`);
      }
    } finally {
      clearInterval(stepping);
      await server.stop();
    }
    const found = await campaign.compare(settings.storage);
    return {
      violations,
      figures: [
        { name: 'writers', value: writers },
        { name: 'readers', value: readers },
        { name: 'records', value: records },
        { name: 'batches', value: tally.batches },
        { name: 'carried out', value: tally.accepted },
        { name: 'refused by the lock', value: tally.conflicts },
        { name: 'answered again from the history', value: tally.replays },
        { name: 'another payload under a used id: refused', value: `${tally.foreign} of ${tally.foreignSent}` },
        { name: 'reads of all records', value: tally.reads },
        { name: 'steps of the clock, up to an hour', value: steps },
        ...countsByRule(violations, [
          ...usualRules,
          'time goes forward',
          'no part of a batch is seen',
          'reads go forward',
        ]),
        { name: 'integrity errors', value: found.errors.length },
      ],
    };
  });
}
