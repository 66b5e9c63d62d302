/** Many clients change few records while the service's clock is stepped back and forth: nobody's update is lost. */

import { seeded } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { inInstallation, prepare, proofSettings } from './folder.ts';
import { judge, judgeAnswers, type Violation } from './history.ts';
import { differences } from './installation.ts';
import { countsByRule, type Proof, type Task } from './report.ts';
import { Attempts, Family, type Mix, newTally } from './workload.ts';

const writers = 64;
const readers = 4;
const records = 10;
const roundBatches = 2_000;
const stepMsMax = 3_600_000;
const stepEveryMs = 10;

const mix: Mix = {
  add: 0.05,
  update: 0.8,
  remove: 0.04,
  itemsMax: 4,
  replay: 0.1,
  rival: 0.05,
  repeat: 0.05,
  foreign: 0.05,
  fault: null,
  timeoutMs: 30_000,
  shared: true,
};

export interface ContentionTask extends Task {
  readonly batches: number;
}

export function proveContention({ batches, seed, server: address, progress }: ContentionTask): Promise<Proof> {
  return inInstallation(address, async (installation) => {
    const { spaces } = await prepare(installation, 1);
    const space = spaces[0]!;
    const server = await startServer(installation.stored, { settings: proofSettings });
    const clock = seeded(seed, 1);
    let steps = 0;
    const stepping = setInterval(() => {
      server.stepClock(Math.round((clock.fraction() * 2 - 1) * stepMsMax));
      steps++;
    }, stepEveryMs);
    const tally = newTally();
    const violations: Violation[] = [];
    const answered = { records: 0, transactions: 0 };
    try {
      for (let round = 0; tally.batches < batches; round++) {
        const until = Math.min(batches, tally.batches + roundBatches);
        const attempts = new Attempts();
        const family = new Family({ ports: [server.port], space, name: `round-${round}`, mix, tally, attempts });
        await family.addRecords(records);
        const work = async (client: number, share: Mix) => {
          const random = seeded(seed, 2, round, client);
          while (tally.batches < until) await family.step(random, share);
        };
        const onlyReads = { ...mix, add: 0, update: 0, remove: 0 };
        await Promise.all([
          ...Array.from({ length: writers }, (_, client) => work(client, mix)),
          ...Array.from({ length: readers }, (_, reader) => work(writers + reader, onlyReads)),
        ]);
        const history = await family.history();
        violations.push(...judge(history));
        answered.transactions += judgeAnswers(history.transactions).carried.length;
        answered.records += history.final.length;
        family.close();
        progress(`${tally.batches} of ${batches} batches, ${violations.length} violations`);
      }
    } finally {
      clearInterval(stepping);
      await server.stop();
    }
    const found = await installation.look(space);
    for (const message of differences(found, answered)) violations.push({ rule: 'answered is kept', message });
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
          'no lost update',
          'time goes forward',
          'at most once',
          'all or nothing',
          'same replay',
          'no part of a batch is seen',
          'reads go forward',
          'answered is kept',
          'every request is settled',
        ]),
        { name: 'integrity errors', value: found.errors.length },
      ],
    };
  });
}
