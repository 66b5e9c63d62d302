/** The plan of a query on SQLite, read from the lines of EXPLAIN QUERY PLAN (https://www.sqlite.org/eqp.html). */
import type { ColumnType } from '../../schema/model.ts';
import { systemName } from '../../schema/system.ts';
import type { BoundStatement, DataSpaces } from '../contract.ts';
import { type PlanAction, PlanNames, type PlanStep } from '../plan.ts';
import { typedRows } from '../typed-rows.ts';
import { physicalName } from './dialect.ts';

const integer: ColumnType = { kind: 'integer' };
const text: ColumnType = { kind: 'text' };

/** See `DataSpaces.explain`. */
export async function explain(
  spaces: Pick<DataSpaces, 'definition' | 'select'>,
  spaceId: number,
  { statement, values }: BoundStatement,
): Promise<readonly PlanStep[]> {
  const names = new PlanNames(await spaces.definition(spaceId), physicalName);
  const sql = `EXPLAIN QUERY PLAN ${statement.sql}`;
  const rows = await typedRows(spaces, spaceId, { sql, values, types: [integer, integer, integer, text] });
  return planSteps(
    rows.map((row) => String(row[3])),
    names,
  );
}

/** @param lines the details of the rows, in order */
export function planSteps(lines: readonly string[], names: PlanNames): readonly PlanStep[] {
  // Sub-selects that are computed first; what they read has separate lines.
  const derived = new Set(lines.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(line)?.[1] ?? []));
  return lines.flatMap((line): readonly PlanStep[] => {
    const onRows = /^USE TEMP B-TREE FOR (.*)/.exec(line)?.[1];
    if (onRows !== undefined)
      return [{ action: onRows.endsWith('ORDER BY') ? 'sort' : 'group', table: null, columns: [] }];
    const [, verb, name = '', how = ''] = /^(SCAN|SEARCH) (\S+)(?: USING (.*))?/.exec(line) ?? [];
    return verb === undefined || derived.has(name) ? [] : reading(verb === 'SEARCH', name, how, names);
  });
}

/**
 * @param name of a table in the statement
 * @param how such as `COVERING INDEX _ix_1_2 (amount=? AND due>?)`; empty for no index
 */
function reading(isSearch: boolean, name: string, how: string, names: PlanNames): readonly PlanStep[] {
  const terms = names.termsOf(name);
  if (terms !== undefined) return [{ action: 'findByTerms', table: terms.table, columns: [terms.column] }];
  const table = names.table(name);
  // Only internal tables have a primary key instead of row numbers.
  if (table === undefined || how.startsWith('PRIMARY KEY')) return [];
  const [indexPart = '', condition = ''] = how.split(/ (?=\()/);
  const step = (action: PlanAction, columns: readonly string[]) => ({ action, table: table.name, columns });
  const sought = names.columns(table, condition.match(/\w+/g) ?? []);
  if (indexPart.startsWith('AUTOMATIC')) return [step('walk', []), step('indexOnce', sought)];
  if (isSearch) return [step('find', sought)];
  const index = /INDEX (\w+)/.exec(indexPart)?.[1];
  return [
    index === undefined ? step('walk', []) : step('walkIndex', names.indexColumns(index) ?? [systemName.objectId]),
  ];
}
