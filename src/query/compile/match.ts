/**
 * MATCH as SQL, in two forms: a condition on the terms of a record, which is correct in any position; and a condition in the
 * sub-select of the table, which finds the records by their terms. The second is used only if all other records fail the query's
 * condition.
 */
import type { Condition } from '../checked.ts';
import type { Writer } from './expressions.ts';
import { balanced, nested, type Part } from './parts.ts';

type Match = Extract<Condition, { kind: 'match' }>;

/** The placeholder of its terms. @throws ServiceError 132 for too many terms */
export function wordsSql({ words }: Match, { binder }: Writer): string {
  return words.kind === 'slot' ? binder.parameter(words.slot) : binder.words(words);
}

/** Whether records of a table can be found by their terms alone. */
export function isFoundByTerms(condition: Condition | null, table: number): boolean {
  switch (condition?.kind) {
    case 'match':
      return condition.operand.table === table;
    case 'logical': {
      const isFound = (operand: Condition) => isFoundByTerms(operand, table);
      return condition.operator === 'AND' ? condition.operands.some(isFound) : condition.operands.every(isFound);
    }
    default:
      return false;
  }
}

/**
 * A condition for the sub-select of a table that finds, by their terms, all records that can meet the query's
 * condition; null if there is none.
 */
export function foundByTerms(where: Condition | null, table: number, writer: Writer): string | null {
  if (where === null || !writer.findsTerms || !isFoundByTerms(where, table)) return null;
  const found = (condition: Condition): Part => {
    if (condition.kind === 'match') {
      const search = {
        table: writer.tables[table]!.table,
        column: condition.operand.column,
        terms: wordsSql(condition, writer),
      };
      return nested([], writer.dialect.foundByTerms(search));
    }
    if (condition.kind !== 'logical') throw new Error(`A condition of kind ${condition.kind} finds nothing by terms.`);
    const operands = condition.operands.filter((operand) => isFoundByTerms(operand, table));
    return balanced(operands.map(found), condition.operator);
  };
  return found(where).sql;
}
