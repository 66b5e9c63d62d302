/**
 * The whole proof of syncing: traces a service under load with strace, shows from its system calls that every
 * acknowledged commit was synced before its answer, and replays the writes with a power cut at each sync, which loses
 * nothing acknowledged.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inScratch } from '../../machine/scratch.ts';
import type * as report from '../report.ts';
import { judgeAcknowledgements } from './acknowledged.ts';
import { cutAtEverySync, judgeReplay, spacePath } from './cuts.ts';
import type { TraceEvent } from './events.ts';
import { runLoad, type Transaction } from './load.ts';
import { readTrace, startTraced } from './traced-service.ts';

export interface ProofOptions {
  /** An existing, empty folder for all files of the proof. */
  readonly folder: string;
  readonly batches: number;
  readonly clients: number;
  readonly spaces: number;
  readonly seed: number;
  readonly progress?: (step: string, done: number, of: number) => void;
}

export interface Recording {
  readonly events: readonly TraceEvent[];
  readonly transactions: readonly Transaction[];
  readonly spaces: readonly { readonly spaceId: number; readonly path: string }[];
}

export interface Proof {
  readonly acknowledged: number;
  /** How many of the acknowledged ones were synced before. */
  readonly syncedBefore: number;
  readonly syncs: number;
  readonly opened: number;
  readonly violations: readonly string[];
}

/** Runs the load against the traced service, and stops the service cleanly. */
export async function record(options: ProofOptions): Promise<Recording> {
  const { folder, batches, clients, seed, progress } = options;
  const data = join(folder, 'data');
  const traceFile = join(folder, 'trace');
  const service = await startTraced(data, options.spaces, traceFile);
  let transactions: Transaction[];
  try {
    const answered = (count: number) => progress?.('batches answered', count, batches);
    transactions = await runLoad({
      port: service.port,
      places: service.spaces,
      clients,
      batches,
      seed,
      progress: answered,
    });
  } finally {
    await service.stop();
  }
  const spaces = service.spaces.map(({ spaceId }) => ({ spaceId, path: spacePath(data, spaceId) }));
  return { events: await readTrace(traceFile, data), transactions, spaces };
}

/** Does not compare the files on disk with the trace, because an edited trace produces other files: `judgeReplay` does. */
export function judgeRecording(
  recording: Recording,
  options: Omit<ProofOptions, 'batches' | 'clients' | 'spaces'>,
): Proof {
  const { events, transactions, spaces } = recording;
  const judged = judgeAcknowledgements(events);
  const told = new Set(judged.acknowledged.map(({ transactionId }) => transactionId));
  const unseen = transactions.filter(({ id }) => !told.has(id));
  const scratch = join(options.folder, 'cut');
  mkdirSync(scratch, { recursive: true });
  const cuts = cutAtEverySync({
    events,
    acknowledged: judged.acknowledged,
    transactions,
    spaces,
    scratch,
    seed: options.seed,
    progress: (done, of) => options.progress?.('syncs cut', done, of),
  });
  return {
    acknowledged: judged.acknowledged.length,
    syncedBefore: judged.acknowledged.length - judged.violations.length,
    syncs: cuts.syncs,
    opened: cuts.opened,
    violations: [
      ...judged.violations,
      ...unseen.map(({ id }) => `The client was answered ${id}, and the trace does not show the answer.`),
      ...cuts.violations,
    ],
  };
}

export async function prove(options: ProofOptions): Promise<Proof> {
  const recording = await record(options);
  const proof = judgeRecording(recording, options);
  const paths = recording.spaces.map(({ path }) => path);
  return { ...proof, violations: [...proof.violations, ...judgeReplay(recording.events, paths)] };
}

export interface SyncTask extends report.Task {
  readonly batches: number;
}

const clients = 12;
const spaces = 3;

export function proveSync({ batches, seed, progress }: SyncTask): Promise<report.Proof> {
  return inScratch(async (folder) => {
    // Reports at every tenth.
    const tell = (step: string, done: number, of: number) => {
      if (Math.floor((done * 10) / of) > Math.floor(((done - 1) * 10) / of)) progress(`${step}: ${done} of ${of}`);
    };
    const { acknowledged, syncedBefore, syncs, opened, violations } = await prove({
      ...{ folder, batches, clients, spaces, seed },
      progress: tell,
    });
    return {
      violations: violations.map((message) => ({ rule: 'synced before answered', message })),
      figures: [
        { name: 'acknowledged commits', value: acknowledged },
        {
          name: 'preceded by their sync',
          value: `${syncedBefore} (${((100 * syncedBefore) / acknowledged).toFixed(3)} %)`,
        },
        { name: 'power cuts at syncs', value: syncs },
        { name: 'databases opened after them', value: opened },
      ],
    };
  });
}
