/** SQL of conditions with a sub-query, whose table also becomes a sub-select of visible records. */
import type { CheckedSubQuery, Condition, Value } from '../checked.ts';
import { visibleRecords } from '../scope.ts';
import { filterPart, termsOf, valuePart, type Writer } from './expressions.ts';
import { leadsIndex, readsOf } from './join-order.ts';
import { foundByTerms } from './match.ts';
import { aboveQuery, leaf, type Part } from './parts.ts';
import { plannedTermsMax, usedColumns } from './source.ts';

/** `EXISTS (SELECT 1 FROM … WHERE …)`, or `… IN (SELECT … FROM … WHERE …)`. */
export function subQueryPart(condition: Extract<Condition, { kind: 'exists' | 'inQuery' }>, writer: Writer): Part {
  const { query } = condition;
  if (condition.kind === 'inQuery') {
    const word = condition.negated ? 'NOT IN' : 'IN';
    return ofQuery([condition.operand], { ...query, values: [condition.query.value] }, writer, (operand, select) => {
      return `${operand} ${word} ${select}`;
    });
  }
  const list = writer.dialect.listsOnce ? listOf(condition.query, writer) : null;
  if (list === null) return ofQuery([], { ...query, values: [] }, writer, (_, select) => `EXISTS ${select}`);
  return ofQuery(list.operands, list, writer, (operands, select) => `(${operands} IN ${select}) IS TRUE`);
}

/** What is selected from the records of a table. */
interface Selection {
  readonly table: number;
  /** Empty if only their presence matters. */
  readonly values: readonly Value[];
  readonly where: Condition | null;
}

/** @param write writes the operands and the whole SELECT */
function ofQuery(
  operands: readonly Value[],
  { table, values, where }: Selection,
  writer: Writer,
  write: (operands: string, select: string) => string,
): Part {
  const { binder, dialect, tables, steps } = writer;
  const outer = operands.map((operand) => valuePart(operand, writer));
  const selected = values.length === 0 ? [leaf('1')] : values.map((value) => valuePart(value, writer));
  const termsMax = Math.max(1, Math.floor(plannedTermsMax / tables.length));
  const filter = where === null ? [] : [filterPart(where, termsMax, writer)];
  const columns = usedColumns(table, writer);
  const rowNumber = steps?.rowNumberOf(table) ?? null;
  const of = tables[table]!.table;
  // Otherwise its records are searched again for each row of the outer query.
  const isFoundOnce = [...values, where].every((part) => part === null || readsOnly(part, table));
  const found = isFoundOnce ? foundByTerms(where, table, writer) : null;
  const narrowed = { rowNumber, found };
  const records = visibleRecords(of, columns, `t${table}`, binder.members(), isFoundOnce, dialect, narrowed);
  const list = (parts: readonly Part[]) => parts.map(({ sql }) => sql).join(', ');
  const select = `(SELECT ${list(selected)} FROM ${records}${filter.map(({ sql }) => ` WHERE ${sql}`).join('')})`;
  const row = outer.length > 1 ? `(${list(outer)})` : list(outer);
  return aboveQuery(outer, [...selected, ...filter], write(row, select));
}

function readsOnly(node: Condition | Value, table: number): boolean {
  return readsOf(node).isSubsetOf(new Set([table]));
}

/**
 * Writes `EXISTS (… WHERE #t.a = #outer.b AND …)` as a list that is computed once: the outer row's values must be in
 * the list. Applies if nothing else in the sub-query reads the outer row; null otherwise, and where an index finds the
 * records.
 */
function listOf(
  { table, where }: CheckedSubQuery<null>,
  { tables }: Writer,
): (Selection & { readonly operands: readonly Value[] }) | null {
  const terms = where === null ? [] : termsOf(where);
  const pairs: { readonly own: Value; readonly outer: Value }[] = [];
  const rest: Condition[] = [];
  for (const term of terms) {
    if (readsOnly(term, table)) {
      rest.push(term);
      continue;
    }
    if (term.kind !== 'comparison' || term.operator !== '=') return null;
    const [own, outer] = readsOnly(term.left, table) ? [term.left, term.right] : [term.right, term.left];
    if (!readsOnly(own, table) || readsOf(outer).has(table)) return null;
    if (own.kind === 'column' && leadsIndex(own, tables)) return null;
    pairs.push({ own, outer });
  }
  if (pairs.length === 0) return null;
  return {
    table,
    operands: pairs.map(({ outer }) => outer),
    values: pairs.map(({ own }) => own),
    where: rest.length === 0 ? null : { kind: 'logical', operator: 'AND', operands: rest },
  };
}
