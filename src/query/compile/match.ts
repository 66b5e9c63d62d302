/**
 * MATCH as SQL: a condition on the terms that a record has, which is right wherever it stands; and one by which records are found,
 * for the sub-select of their table, where no other record can meet the condition of the query.
 */
import type { Condition } from '../checked.ts';
import type { Writer } from './expressions.ts';
import { balanced, nested, type Part } from './parts.ts';

type Match = Extract<Condition, { kind: 'match' }>;

/** What its terms are bound at. @throws ServiceError 132 where there are too many */
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
 * A condition on the records of a table, in their own sub-select, that is true of all that can meet the condition of the query
 * and finds them by their terms; null where there is none.
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
