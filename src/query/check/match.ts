/** Checks MATCH: its column must have full text, and its words must be text. */
import type { Expression } from '../ast.ts';
import { checkMatchCount } from '../bounds.ts';
import type { Condition, Words } from '../checked.ts';
import { notValid } from '../fault.ts';
import { type CheckContext, resolve } from './context.ts';
import { describe } from './infer.ts';

type Match = Extract<Expression, { kind: 'match' }>;

/** @throws ServiceError 132 */
export function checkMatch({ column, words, position }: Match, context: CheckContext): Condition {
  if (context.grouped !== undefined) {
    throw notValid(position, 'MATCH is about records, not about groups; write it in where.');
  }
  checkMatchCount(++context.matches.count);
  if (column.kind !== 'column') {
    throw notValid(column.position, `MATCH: expected a column with full text, got ${describe(column, context)}.`);
  }
  const use = resolve(column, context);
  const { table } = context.tables[use.table]!;
  const has = table.fullText.find(({ slot }) => slot.column === use.column);
  if (has === undefined) throw notValid(column.position, withoutFullText(table.name, use.column.name));
  return { kind: 'match', operand: { ...use, column: has.terms }, words: checkWords(words, context) };
}

function withoutFullText(table: string, column: string): string {
  const change = `{"op": "changeColumn", "table": "${table}", "column": "${column}", "fullText": true}`;
  return `MATCH: the column "${column}" of table "${table}" has no full text; POST {prefix}/schemas/changes with ${change} gives it some.`;
}

function checkWords(words: Expression, context: CheckContext): Words {
  if (words.kind === 'parameter') {
    context.slots.set(words.index, { position: words.position, use: { kind: 'words' } });
    return { kind: 'slot', slot: words.index };
  }
  if (words.kind !== 'text') throw notValid(words.position, 'MATCH takes a text in quotes or "?" as its words.');
  return { kind: 'literal', words: words.value, position: words.position };
}
