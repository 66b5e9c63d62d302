/** What the history keeps of a batch (docs/reference/writing.md#one-batch-all-or-nothing), found by its transaction id. */
import { compileTransaction } from '../query/compile.ts';
import type { Statement } from '../query/statement.ts';
import type { WrittenItem } from '../storage/contract.ts';
import { wholeText } from '../storage/json-text.ts';
import { answeredItems, operationsIn } from '../storage/judge.ts';
import { refuseUnstorable } from '../text.ts';
import type { DataContext } from './context.ts';

export interface KeptTransaction {
  /** Milliseconds. */
  readonly time: number;
  /** Who sent it; 0 an administrator, whoever owns the records, and null before the history kept it. */
  readonly userId: number | null;
  /** The operations and their tables, in order; null for older entries, which lack them. */
  readonly operations: readonly { readonly operation: string; readonly tableId: number }[] | null;
  /** The records in the answer, with their times. */
  readonly answer: readonly WrittenItem[];
}

const statements = new WeakMap<object, Statement>();

/** @returns null where the data space has no such transaction, or none any more (setting `historyDays`) */
export async function transactionOf(
  { storage: { spaces, dialect } }: DataContext,
  spaceId: number,
  transactionId: string,
): Promise<KeptTransaction | null> {
  refuseUnstorable('transactionId', transactionId);
  const statement = statements.get(dialect) ?? compileTransaction(dialect);
  statements.set(dialect, statement);
  const inputs = { parameters: [transactionId], members: [] };
  const { arrays } = await spaces.select(spaceId, { rows: { statement, values: statement.bind(inputs), inputs } });
  const [row] = JSON.parse(wholeText(arrays[0]!)) as Kept[];
  if (row === undefined) return null;
  return {
    time: Number(row.time),
    userId: row.user_id === null ? null : Number(row.user_id),
    operations: row.operations === null ? null : operationsIn(row.operations),
    answer: answeredItems(row.answer),
  };
}

interface Kept {
  readonly time: string;
  readonly user_id: string | null;
  readonly operations: string | null;
  readonly answer: string;
}
