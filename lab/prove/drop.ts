/** A bad network between clients and service: answers are dropped and requests repeated, and each happens once. */

import { type Random, seeded } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { inInstallation, prepare, proofSettings } from './folder.ts';
import { judge, judgeAnswers, type Violation } from './history.ts';
import { differences } from './installation.ts';
import { type Fault, openProxy } from './proxy.ts';
import { countsByRule, type Proof, type Task } from './report.ts';
import { Attempts, Family, type Mix, newTally } from './workload.ts';

const lanes = 64;
const familyBatches = 40;
const timeoutMs = 400;
const stallMs = 500;

/** What the network does to a request. */
const faultOf = (random: Random): Fault =>
  random.weighted<Fault>(
    [0.34, () => 'drop'],
    [0.05, () => 'twice'],
    [0.03, () => 'reset'],
    [0.01, () => 'late'],
    [0.01, () => 'hold'],
    [0.56, () => 'none'],
  );

const mix: Mix = {
  add: 0.5,
  update: 0.35,
  remove: 0.1,
  itemsMax: 4,
  replay: 0.05,
  rival: 0.03,
  repeat: 0.05,
  foreign: 0.05,
  fault: faultOf,
  timeoutMs,
  shared: false,
};

export interface DropTask extends Task {
  readonly batches: number;
}

export function proveDrop({ batches, seed, server: address, progress }: DropTask): Promise<Proof> {
  return inInstallation(address, async (installation) => {
    const { spaces } = await prepare(installation, 1);
    const space = spaces[0]!;
    const server = await startServer(installation.stored, { settings: proofSettings });
    const attempts = new Attempts();
    const proxy = await openProxy({
      port: server.port,
      stallMs,
      witness: (attempt, reply, isHandedOn) => attempts.witness(attempt, reply, isHandedOn),
    });
    const tally = newTally();
    const violations: Violation[] = [];
    let transactions = 0;
    let records = 0;
    let families = 0;
    const judging = new Set<Promise<void>>();
    const tellEvery = Math.ceil(batches / familyBatches / 20);

    async function family(number: number): Promise<Family> {
      const made = new Family({ ports: [proxy.port], space, name: `family-${number}`, mix, tally, attempts });
      const random = seeded(seed, number);
      while (made.transactions.length < familyBatches && tally.batches < batches) await made.step(random, mix);
      return made;
    }

    async function judgeFamily(made: Family): Promise<void> {
      // What is still on its way may yet be carried out.
      await proxy.settled();
      const history = await made.history();
      violations.push(...judge(history));
      transactions += judgeAnswers(history.transactions).carried.length;
      records += history.final.length;
      made.close();
    }

    /** One family after the other; each is judged while the next one is at work. */
    async function lane(): Promise<void> {
      while (tally.batches < batches) {
        const work = judgeFamily(await family(families++));
        judging.add(work);
        void work.then(() => judging.delete(work));
        if (families % tellEvery === 0)
          progress(`${tally.batches} of ${batches} batches, ${violations.length} violations`);
      }
    }

    try {
      await Promise.all(Array.from({ length: lanes }, lane));
      await Promise.all(judging);
    } finally {
      await proxy.close();
      await server.stop();
    }

    const found = await installation.look(space);
    for (const message of differences(found, { records, transactions })) {
      violations.push({ rule: 'at most once', message });
    }
    const { met } = proxy;
    const written = Object.values(met).reduce((sum, count) => sum + count, 0);
    return {
      violations,
      figures: [
        { name: 'batches', value: tally.batches },
        { name: 'requests', value: written },
        { name: 'answers dropped after the service answered', value: `${met.drop} (${share(met.drop, written)})` },
        { name: 'delivered twice at once', value: met.twice },
        { name: 'reset in the middle of the body', value: met.reset },
        { name: 'delivered after the client gave up', value: met.late },
        { name: 'answered after the client gave up', value: met.hold },
        { name: 'transactions carried out', value: transactions },
        { name: 'answered again from the history', value: tally.replays },
        { name: 'another payload under a used id: refused', value: `${tally.foreign} of ${tally.foreignSent}` },
        { name: 'records in the end', value: records },
        ...countsByRule(violations, [
          'at most once',
          'all or nothing',
          'same replay',
          'answered is kept',
          'no lost update',
          'every request is settled',
        ]),
        { name: 'integrity errors', value: found.errors.length },
      ],
    };
  });
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
