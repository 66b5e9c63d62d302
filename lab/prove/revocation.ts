/**
 * Sessions are ended at random while many clients use them. Requests with their tokens are refused at once by the
 * process that ended them, and by all others after five seconds; no other session is affected.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { seeded } from '../machine/random.ts';
import type { Scratch } from '../machine/scratch.ts';
import { inSharedStorage, inStorage } from './folder.ts';
import { countsByRule, type Proof, type Task } from './report.ts';
import { elsewhereMs } from './revocation/ended.ts';
import { Endings, type Instance, startInstance } from './revocation/endings.ts';
import { clientsOf, Load } from './revocation/load.ts';

export interface RevocationTask extends Task {
  /** How many times something is ended. */
  readonly cycles: number;
  readonly instances: number;
  /** The longest wait of a client between an answer and its next request; by default it does not wait. */
  readonly thinkMs?: number;
}

const clientsPerInstance = 32;
const sessionsWanted = 200;
const pauseMs = 50;

const settings = { attemptLimits: false, writerThreads: 1, readerThreads: 1 };

export function proveRevocation(task: RevocationTask): Promise<Proof> {
  const within = task.instances > 1 ? inSharedStorage : inStorage;
  return within(task.server, (scratch) => proveIn(scratch, task));
}

async function proveIn(scratch: Scratch, task: RevocationTask): Promise<Proof> {
  const { instances: count } = task;
  const instances: Instance[] = [];
  try {
    for (let number = 0; number < count; number += 1) {
      instances.push(await startInstance({ ...settings, ...scratch.settings }, number === 0));
    }
    return await proveOn(instances, task);
  } finally {
    await Promise.allSettled(instances.map((instance) => instance.stop()));
  }
}

async function proveOn(instances: readonly Instance[], task: RevocationTask): Promise<Proof> {
  const { cycles, seed, progress, thinkMs = 0 } = task;
  const load = new Load(thinkMs);
  const { tally, violations } = load;
  const endings = new Endings(load, instances, sessionsWanted);
  await endings.begin(seeded(seed, 0));
  const streams = clientsOf(seed, instances.length, clientsPerInstance);
  const clients = streams.map(({ number, random }) => load.client(number, instances[number]?.port ?? 0, random));

  async function endAll(): Promise<void> {
    const random = seeded(seed, 2);
    for (let number = 1; number <= cycles; number += 1) {
      await endings.step(random);
      await wait(pauseMs);
      if (number % Math.ceil(cycles / 20) > 0) continue;
      progress(`${number} of ${cycles} endings, ${tally.requests} requests, ${violations.length} violations`);
    }
    await endings.settled();
    // Ended sessions are still tried after every process must have noticed.
    await wait(elsewhereMs + 500);
  }

  try {
    await Promise.race([endAll(), ...clients]);
  } finally {
    load.stop();
    await Promise.allSettled(clients);
  }
  return {
    violations,
    figures: [
      { name: 'instances', value: instances.length },
      { name: 'clients', value: clients.length },
      { name: 'requests', value: tally.requests },
      { name: 'accepted', value: tally.accepted },
      { name: 'refused because the session was ended', value: tally.refusedAfterEnd },
      { name: 'renewed tokens', value: tally.renewed },
      { name: 'sessions ended', value: endings.sessionsEnded },
      ...[...endings.counts].sort().map(([name, value]) => ({ name, value })),
      ...countsByRule(violations, ['no later accept', 'nobody else is thrown out']),
    ],
  };
}
