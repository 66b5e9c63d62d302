/** SQL of conditions with a sub-query, whose table is a sub-select of visible records too. */
import type { Condition } from '../checked.ts';
import { visibleRecords } from '../scope.ts';
import { filterPart, valuePart, type Writer } from './expressions.ts';
import { readsOf } from './join-order.ts';
import { foundByTerms } from './match.ts';
import { leaf, nested, type Part } from './parts.ts';
import { plannedTermsMax, usedColumns } from './source.ts';

/** How many levels it adds: two SELECTs, and the conditions on time and visibility. */
const levels = 16;

/** `EXISTS (SELECT 1 FROM … WHERE …)`, or `… IN (SELECT … FROM … WHERE …)`. */
export function subQueryPart(condition: Extract<Condition, { kind: 'exists' | 'inQuery' }>, writer: Writer): Part {
  const { table, value, where } = condition.query;
  const { binder, dialect, tables, steps } = writer;
  const selected = value === null ? leaf('1') : valuePart(value, writer);
  const termsMax = Math.max(1, Math.floor(plannedTermsMax / tables.length));
  const filter = where === null ? null : filterPart(where, termsMax, writer);
  // Where it reads nothing else, its records are found once, and not for each row that the condition is about.
  const isFoundOnce = [value, where].every((part) => part === null || readsOf(part).isSubsetOf(new Set([table])));
  const columns = usedColumns(table, writer);
  const rowNumber = steps?.rowNumberOf(table) ?? null;
  const of = tables[table]!.table;
  const found = isFoundOnce ? foundByTerms(where, table, writer) : null;
  const narrowed = { rowNumber, found };
  const records = visibleRecords(of, columns, `t${table}`, binder.members(), isFoundOnce, dialect, narrowed);
  const query = `(SELECT ${selected.sql} FROM ${records}${filter === null ? '' : ` WHERE ${filter.sql}`})`;
  const inner = filter === null ? [selected] : [selected, filter];
  if (condition.kind === 'exists') return nested(inner, `EXISTS ${query}`, levels);
  const operand = valuePart(condition.operand, writer);
  return nested([operand, ...inner], `${operand.sql} ${condition.negated ? 'NOT IN' : 'IN'} ${query}`, levels);
}
