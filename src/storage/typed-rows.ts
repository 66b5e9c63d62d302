/**
 * Runs one of our own statements, which states the types of its columns, like a query: in turn, and with its time
 * limit.
 */
import { newStatementId } from '../query/compile.ts';
import type { DataSpaces } from './contract.ts';
import { wholeText } from './json-text.ts';
import type { Step } from './work.ts';

/** @returns wire text. @throws ServiceError as `DataSpaces.select` */
export async function typedRows(
  { select }: Pick<DataSpaces, 'select'>,
  spaceId: number,
  { sql, values = [], types = [] }: Step,
): Promise<readonly (readonly (string | null)[])[]> {
  const names = types.map((_, index) => `c${index}`);
  const columns = types.map((type, index) => ({ name: names[index] as string, type }));
  const statement = { id: newStatementId(), sql, outputs: [{ key: '', columns }], bind: () => [...values] };
  const { arrays } = await select(spaceId, { rows: { statement, values } });
  const records: Record<string, string | null>[] = JSON.parse(wholeText(arrays[0] ?? '[]'));
  return records.map((record) => names.map((name) => record[name] ?? null));
}
