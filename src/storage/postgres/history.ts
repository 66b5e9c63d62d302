/** The history of transactions of a data space: which ids were processed, for which request, and with which result. */
import type { Environment } from '../../environment.ts';
import type { WriteBatch, WriteOutcome } from '../contract.ts';
import { answeredItems } from '../judge.ts';
import type { Connection } from './connections.ts';
import { inStore } from './schemas.ts';

/** A batch under way, with what identifies its history row. */
export interface Attempt {
  readonly batch: WriteBatch;
  /** The client's transaction id, or one generated here. */
  readonly transactionId: string;
  /**
   * Distinguishes this batch from its replays: a row with this mark belongs to this batch, however often it was sent to
   * the database.
   */
  readonly mark: string;
}

export function attemptOf(batch: WriteBatch, environment: Environment): Attempt {
  const mark = environment.random(16).toString('hex');
  // Generated ids begin with the time, so they are appended to the index. They stay internal.
  return { batch, mark, transactionId: batch.transactionId ?? `~${batch.now.toString(36)}~${mark}` };
}

/**
 * The outcome in the history, or null when the batch's transaction id is unknown. It may be acknowledged: it is as
 * durable as a commit made now. (After the restart of a server whose commits wait for a standby, a row may be visible
 * before it reaches the standby. Therefore a record is written to the log, whose commit waits for the standby.)
 */
export async function lookUp(connection: Connection, spaceId: number, attempt: Attempt): Promise<WriteOutcome | null> {
  const { batch, transactionId, mark } = attempt;
  const { rows } = await connection.query({
    text: inStore(
      `SELECT request_hash, attempt, answer, pg_catalog.pg_logical_emit_message(true, 'rowhouse', '')
       FROM "~"._history WHERE transaction_id = $1`,
      spaceId,
    ),
    values: [transactionId],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const [requestHash, storedMark, answer] = row as readonly [string, string, string];
  if (storedMark === mark) return { kind: 'done', items: answeredItems(answer) };
  return { kind: 'replay', items: requestHash === batch.requestHash ? answeredItems(answer) : null };
}

/** Whether the transaction id is known by now. */
export async function isProcessed(
  connection: Connection,
  spaceId: number,
  { transactionId }: Attempt,
): Promise<boolean> {
  const { rows } = await connection.query({
    text: inStore('SELECT FROM "~"._history WHERE transaction_id = $1', spaceId),
    values: [transactionId],
  });
  return rows.length > 0;
}

/** @returns false when the transaction id is known by now; waits for a replay under way */
export async function remember(
  connection: Connection,
  spaceId: number,
  { batch, transactionId, mark }: Attempt,
  answer: string,
  operations: string,
): Promise<boolean> {
  const { changed } = await connection.query({
    text: inStore(
      `INSERT INTO "~"._history (transaction_id, request_hash, attempt, answer, time, user_id, operations)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (transaction_id) DO NOTHING`,
      spaceId,
    ),
    values: [transactionId, batch.requestHash, mark, answer, String(batch.now), String(batch.userId), operations],
  });
  return changed === 1;
}

/** Adds the answer of the transaction under way to its row in the history. */
export async function complete(
  connection: Connection,
  spaceId: number,
  { transactionId }: Attempt,
  answer: string,
): Promise<void> {
  await connection.query({
    text: inStore('UPDATE "~"._history SET answer = $2 WHERE transaction_id = $1', spaceId),
    values: [transactionId, answer],
  });
}

/** Deletes the oldest entries from before that time, at most `rowsMax`. @returns how many were deleted */
export async function prune(connection: Connection, spaceId: number, before: number, rowsMax: number): Promise<number> {
  const { changed } = await connection.query({
    text: inStore(
      `DELETE FROM "~"._history WHERE transaction_id = ANY(ARRAY(
         SELECT transaction_id FROM "~"._history WHERE time < $1::bigint ORDER BY time LIMIT $2::bigint
         FOR UPDATE SKIP LOCKED))`,
      spaceId,
    ),
    values: [String(before), String(rowsMax)],
  });
  return changed;
}
