/** Twins of every batch at the same moment, sent to different instances of the service on one database: one is carried out. */
import { startPostgres } from '../machine/postgres.ts';
import { seeded } from '../machine/random.ts';
import { startServer } from '../service/process.ts';
import { inInstallation, prepare, proofSettings } from './folder.ts';
import { judge, judgeAnswers, type Violation } from './history.ts';
import { differences } from './installation.ts';
import { countsByRule, type Proof, type Task } from './report.ts';
import { Attempts, Family, type Mix, newTally } from './workload.ts';

const clients = 64;
const familyBatches = 40;

const mix: Mix = {
  add: 0.6,
  update: 0.3,
  remove: 0.1,
  itemsMax: 3,
  replay: 1,
  rival: 0.05,
  repeat: 0.05,
  foreign: 0.03,
  fault: null,
  timeoutMs: 30_000,
  shared: false,
};

export interface ReplaysTask extends Task {
  readonly batches: number;
  readonly instances: number;
}

/** Starts a PostgreSQL server of its own, which syncs every commit, when none is named. */
export async function proveReplays({ server, ...task }: ReplaysTask): Promise<Proof> {
  if (server !== undefined) return proveOn(server, task);
  const own = await startPostgres({ durable: true });
  try {
    return await proveOn(own.url, task);
  } finally {
    await own.stop();
  }
}

function proveOn(address: string, { batches, instances, seed, progress }: Omit<ReplaysTask, 'server'>): Promise<Proof> {
  return inInstallation(address, async (installation) => {
    const { spaces } = await prepare(installation, 1);
    const space = spaces[0]!;
    const running = await Promise.all(
      Array.from({ length: instances }, () => startServer(installation.stored, { settings: proofSettings })),
    );
    const ports = running.map(({ port }) => port);
    const tally = newTally();
    const violations: Violation[] = [];
    let families = 0;
    let transactions = 0;
    let records = 0;
    const tellEvery = Math.ceil(batches / familyBatches / 20);

    /** One family of records after the other, each judged when it is done. */
    async function client(): Promise<void> {
      while (tally.batches < batches) {
        const number = families++;
        const attempts = new Attempts();
        const family = new Family({ ports, space, name: `family-${number}`, mix, tally, attempts });
        const random = seeded(seed, number);
        while (family.transactions.length < familyBatches && tally.batches < batches) await family.step(random, mix);
        const history = await family.history();
        violations.push(...judge(history));
        transactions += judgeAnswers(history.transactions).carried.length;
        records += history.final.length;
        family.close();
        if (number % tellEvery === 0)
          progress(`${tally.batches} of ${batches} batches, ${violations.length} violations`);
      }
    }

    try {
      await Promise.all(Array.from({ length: clients }, client));
    } finally {
      await Promise.all(running.map((instance) => instance.stop()));
    }
    const found = await installation.look(space);
    for (const message of differences(found, { records, transactions })) {
      violations.push({ rule: 'at most once', message });
    }
    return {
      violations,
      figures: [
        { name: 'instances', value: instances },
        { name: 'clients', value: clients },
        { name: 'batches, each with a twin on another instance', value: tally.batches },
        { name: 'requests', value: tally.attempts },
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
      ],
    };
  });
}
