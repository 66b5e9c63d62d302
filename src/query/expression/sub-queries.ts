/** Parses sub-queries (docs/reference/expression-language.md#sub-queries): SELECT with its value, FROM, WHERE. */
import { quoted } from '../../errors.ts';
import type { Expression, SubQuery, TableReference } from '../ast.ts';
import { type Cursor, found, isSymbol, isWord } from './cursor.ts';
import type { Token } from './lexer.ts';

/** The form of sub-queries, for errors. */
export const subQueryForms = {
  exists: '(SELECT 1 FROM <table> <alias> WHERE <condition>)',
  in: '(SELECT <value> FROM <table> <alias> WHERE <condition>)',
} as const;

/** Reads the parts of a sub-query. */
interface Parts<Value> {
  /** Reads the value after SELECT. */
  value(): Value;
  /** Called with the table before the condition is read. */
  table(reference: TableReference): void;
  condition(): Expression;
}

/** @param open the "(" at the current token, before SELECT */
export function readSubQuery<Value>(cursor: Cursor, open: Token, parts: Parts<Value>): SubQuery<Value> {
  return cursor.nested(open, () => {
    cursor.skip();
    cursor.skip();
    const value = parts.value();
    cursor.expect('FROM', 'what SELECT takes');
    const table = nameAt(cursor, 'a table');
    const alias = nameAt(cursor, 'an alias of the table');
    const from = { table: table.text, alias: alias.text, position: cursor.position(table) };
    parts.table(from);
    const where = cursor.takeWord('WHERE') ? parts.condition() : null;
    const next = cursor.peek();
    if (where === null && !isSymbol(next, ')')) {
      const expected = `expected WHERE or ")" after ${quoted(alias.text)}, got ${found(next)}`;
      throw cursor.fault(next, `${expected}; a sub-query has one table and a condition.`);
    }
    cursor.close(open);
    return { from, value, where };
  });
}

function nameAt(cursor: Cursor, what: string): Token & { kind: 'word' } {
  const token = cursor.peek();
  if (token.kind !== 'word' || token.word === 'WHERE') {
    throw cursor.fault(token, `expected ${what}, as in FROM Task t, got ${found(token)}.`);
  }
  cursor.skip();
  return token;
}

/** Consumes the 1 of EXISTS (SELECT 1 ...). */
export function takeOne(cursor: Cursor): null {
  const token = cursor.peek();
  if (token.kind !== 'number' || token.text !== '1') {
    throw cursor.fault(token, `expected ${subQueryForms.exists} after EXISTS, got ${found(token)} after SELECT.`);
  }
  cursor.skip();
  return null;
}

/** Refuses anything but a sub-query after EXISTS. */
export function requireSubQuery(cursor: Cursor): Token {
  const token = cursor.peek();
  if (isSymbol(token, '(') && isWord(cursor.peek(1), 'SELECT')) return token;
  throw cursor.fault(token, `EXISTS is followed by ${subQueryForms.exists}.`);
}
