/**
 * One writer of the proof, in a process or a tab: it writes numbered batches, each based on the previous one if they
 * change the same record. A number always gives the same batch, so a killed writer continues with the first one that is
 * not known to be kept.
 */
import { pendingLock } from '../../../packages/client/src/outbox/entry.ts';
import type { Outbox } from '../../../packages/client/src/outbox/outbox.ts';
import type { Commit, Write } from '../../../packages/client/src/writes.ts';

/** As `service.ts` defines it. */
const table = 'Entry';
/** Batches on one record: it is added, changed, and changed together with another one added without an id. */
export const batchesOfRecord = 3;
/** The count in a record added without an id, which would exist twice if its batch were written twice. */
export const aside = -1;

export const idOf = (lane: string, number: number): string => `${lane}-${number}`;

export function writesOf(lane: string, number: number): Write[] {
  const mark = idOf(lane, number);
  const step = number % batchesOfRecord;
  const objectId = `${lane}-of-${number - step}`;
  const made = { family: lane, mark, part: 0, scopeType: 3 };
  if (step === 0) return [{ op: 'add', table, values: { ...made, objectId, count: 0 }, base: null }];
  const base = { objectId, serverUpdateTime: pendingLock(idOf(lane, number - 1)) };
  const change: Write = { op: 'update', table, values: { objectId, mark, count: step }, base };
  return step === 1 ? [change] : [change, { op: 'add', table, values: { ...made, count: aside }, base: null }];
}

/** The writer of a batch, among those who share an outbox: each writes whole records. */
export const turnOf = (number: number, writers: number): number =>
  Math.floor(number / (batchesOfRecord * recordsOfTurn)) % writers;
const recordsOfTurn = 4;

/** A user who writes through the outbox. */
export interface Writer {
  readonly outbox: Outbox;
  readonly commit: Commit;
  /** Resolves when the user is signed in. */
  signedIn(): Promise<void>;
  /** Ends every session of the user at the service, of which the client is not told. */
  endSessions(): Promise<void>;
}

export interface LaneOptions {
  readonly lane: string;
  /** The users who share the store, and write in turn. */
  readonly writers: readonly Writer[];
  /** The first number not known to be kept, and the number before which to end. */
  readonly from: number;
  readonly to: number;
  /** Called for each batch that the outbox has kept. */
  readonly kept: (number: number) => void;
  /** Before each batch that completes this many, the sessions of its writer end; never if absent. */
  readonly sessionBatches?: number;
}

/** How many batches may wait before the writer waits, and after how many it checks. */
const waitingMax = 24;
const lookEvery = 8;

/** Resolves when all are kept; the outbox may still have some to send. */
export async function writeLane({ lane, writers, from, to, kept, sessionBatches }: LaneOptions): Promise<void> {
  for (let number = from; number < to; number++) {
    const writer = writers[turnOf(number, writers.length)] as Writer;
    if (number === from || number % lookEvery === 0) for (const { signedIn } of writers) await signedIn();
    if (sessionBatches !== undefined && (number + 1) % sessionBatches === 0) await writer.endSessions();
    await writer.commit({ transactionId: idOf(lane, number), writes: writesOf(lane, number) });
    kept(number);
    if (number % lookEvery === 0) await sendUntil(writer, waitingMax);
  }
}

/** Resolves when no entry of the writer is waiting. */
export const sendAll = (writer: Writer): Promise<void> => sendUntil(writer, 0);

/** @throws Error if an entry was handed back, which nobody else's writes can cause here */
async function sendUntil({ outbox, signedIn }: Writer, most: number): Promise<void> {
  for (;;) {
    const entries = await outbox.entries();
    const held = entries.find((entry) => entry.held !== null);
    if (held !== undefined) throw new Error(`${held.transactionId} was handed back: ${JSON.stringify(held.held)}`);
    if (entries.length <= most) return;
    await signedIn();
    await outbox.flush();
  }
}
