/** The entries of an outbox: a batch, its user, and its state. Pure. */

import type { Operations } from '../wire.ts';
import type { AnyRecord, Conflict, Write } from '../writes.ts';

/** Why an entry was handed back to the app. */
export type Held =
  /** Someone else changed or deleted a record: nothing was written. */
  | { readonly reason: 'conflict'; readonly conflict: Conflict }
  /**
   * The service refused it: nothing was written. With 211 another batch has its transaction id. The code is null if
   * something in front of the service found the batch too large (HTTP 413).
   */
  | {
      readonly reason: 'refused';
      readonly code: number | null;
      readonly message: string;
      readonly field: string | null;
    }
  /**
   * It was sent so long ago that the service may have forgotten it: check whether it was written before sending it
   * again.
   */
  | { readonly reason: 'expired'; readonly triedAt: number }
  /** It is based on an earlier entry, which was dropped or settled too long ago. */
  | { readonly reason: 'base lost' };

export interface Entry {
  /** Its position in the order of the outbox. */
  readonly sequence: number;
  readonly transactionId: string;
  /** The service and application version that it is sent to; `userId` is the user who sends it. */
  readonly prefix: string;
  readonly userId: string;
  readonly writes: readonly Write[];
  /** From the first attempt on: the server's time before it, in milliseconds, and the body, the same in all attempts. */
  readonly tried: { readonly at: number; readonly body: Operations['batch']['body'] } | null;
  readonly held: Held | null;
}

/** For a completed entry: the locks of its records. */
export interface Settled {
  readonly transactionId: string;
  /** `serverUpdateTime` by `recordKey`; null where a record was deleted. */
  readonly locks: Readonly<Record<string, string | null>>;
  /** Milliseconds of this machine's clock; only decides when this is removed. */
  readonly at: number;
}

const pendingMark = 'pending:';

/** Used instead of `serverUpdateTime`: the state that a waiting batch will give the record. */
export const pendingLock = (transactionId: string): string => pendingMark + transactionId;

/** The waiting batch whose result a write is based on; null if it is based on a record that was read. */
export function pendingOf({ base }: Write): string | null {
  const lock = base?.serverUpdateTime;
  return typeof lock === 'string' && lock.startsWith(pendingMark) ? lock.slice(pendingMark.length) : null;
}

/** The id of the record, which a put by other columns has only in its base; undefined if it is unknown. */
const idOf = ({ values, base }: Write): unknown => values.objectId ?? base?.objectId;

export const recordKey = (table: string, objectId: unknown): string => `${table}/${objectId}`;

/** Tracks which entries wait for others that cannot be sent now. */
export interface Blocked {
  /** Whether the entry writes a record that a blocked one writes, by its id or a put's columns, or mentions its id. */
  has(entry: Entry): boolean;
  add(entry: Entry): void;
}

export function noneBlocked(): Blocked {
  const transactions = new Set<string>();
  const ids = new Set<unknown>();
  /** Values of all columns, before and after, because a later put may find the record by any of them. */
  const cells = new Set<string>();
  /** The columns by which puts find records, by table. */
  const keys = new Map<string, readonly string[]>();
  const cell = (table: string, column: string, value: unknown) => JSON.stringify([table, column, String(value)]);
  const isKeyOf = ({ table, values }: Write, by: readonly string[]) =>
    by.every((column) => column in values && cells.has(cell(table, column, values[column])));
  const isOf = (write: Write) =>
    transactions.has(pendingOf(write) ?? '') ||
    ids.has(idOf(write)) ||
    Object.values(write.values).some((value) => ids.has(value)) ||
    (write.by !== undefined && isKeyOf(write, write.by)) ||
    [...keys].some(([key, by]) => key.startsWith(`${write.table}/`) && isKeyOf(write, by));
  return {
    has: ({ writes }) => writes.some(isOf),
    add({ transactionId, writes }) {
      transactions.add(transactionId);
      for (const write of writes) {
        const { table, by, values, base } = write;
        const id = idOf(write);
        if (id != null) ids.add(id);
        for (const part of [base ?? {}, values]) {
          for (const [column, value] of Object.entries(part)) cells.add(cell(table, column, value));
        }
        if (by !== undefined) keys.set(`${table}/${by}`, by);
      }
    },
  };
}

/** The writes with the locks that they are based on. @returns null if one is unknown */
export async function withLocks(
  writes: readonly Write[],
  settledOf: (transactionId: string) => Promise<Settled | null>,
): Promise<readonly Write[] | null> {
  const made: Write[] = [];
  for (const write of writes) {
    const pending = pendingOf(write);
    if (pending === null) {
      made.push(write);
      continue;
    }
    const lock = (await settledOf(pending))?.locks[recordKey(write.table, idOf(write))];
    if (lock == null) return null;
    made.push({ ...write, base: { ...write.base, serverUpdateTime: lock } });
  }
  return made;
}

/** Records as they will be, with waiting writes and with locks that later writes may be based on. */
export function withPending<Row extends AnyRecord>(
  table: string,
  records: readonly Row[],
  entries: readonly Entry[],
): Row[] {
  const rows = new Map<unknown, AnyRecord>(records.map((record) => [record.objectId, record]));
  for (const { transactionId, writes } of entries) {
    for (const { op, table: written, values } of writes) {
      if (written !== table || values.objectId == null) continue;
      const known = rows.get(values.objectId);
      if (op === 'delete') rows.delete(values.objectId);
      else if (known !== undefined || op !== 'update') {
        rows.set(values.objectId, { ...known, ...values, serverUpdateTime: pendingLock(transactionId) });
      }
    }
  }
  return [...rows.values()] as Row[];
}
