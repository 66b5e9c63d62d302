/**
 * Parses expression text (docs/reference/expression-language.md#grammar) into the tree, by recursive descent with SQL's
 * precedence: OR, AND, NOT, predicate, the operators of `language.ts`, sign. Chains of AND or OR become one flat node.
 * The parser does not depend on tables and types.
 */
import { quoted } from '../../errors.ts';
import type { ColumnReference, Expression, Position, TableReference } from '../ast.ts';
import { notValid } from '../fault.ts';
import { type ComparisonOperator, comparisons } from '../language.ts';
import { Cursor, found, isSymbol, isWord } from './cursor.ts';
import { type Token, tokensOf } from './lexer.ts';
import { type Naming, ValueParser } from './values.ts';

export interface ParsedExpression {
  readonly expression: Expression;
  /** How many `?` it has. */
  readonly parameters: number;
  readonly hasAggregate: boolean;
  /** The tables of sub-queries, in the order in which they are written. */
  readonly tables: readonly TableReference[];
}

/**
 * @param field where the text came from, for errors (`where.expression.source`)
 * @param firstParameter index of its first `?` in the whole query
 * @param depthMax limit on nesting; deeper text is refused, so that no later stage overflows the stack
 * @throws ServiceError 132
 */
export function parseExpression(
  source: string,
  field: string,
  firstParameter: number,
  depthMax: number,
  naming: Naming = 'nothing',
): ParsedExpression {
  return new Parser(new Cursor(source, field, depthMax), firstParameter, naming).whole();
}

/** Exactly `#alias.column`, as in `orderBy`. @param advice added to the error */
export function parseColumn(source: string, field: string, advice = ''): ColumnReference {
  const [first, second] = tokensOf(source, field);
  if (first?.kind === 'column' && second?.kind === 'end') {
    return { kind: 'column', alias: first.alias, column: first.column, position: { source: field, at: 0 } };
  }
  throw notValid({ source: field, at: 0 }, `expected a column like #alias.column, got ${quoted(source)}.${advice}`);
}

class Parser extends ValueParser {
  whole(): ParsedExpression {
    const expression = this.any();
    const rest = this.cursor.peek();
    if (rest.kind === 'symbol' && rest.symbol === ')') throw this.cursor.fault(rest, 'this ")" has no "(" before it.');
    if (rest.kind === 'symbol' && comparisonOf(rest) !== undefined) {
      throw this.cursor.fault(
        rest,
        `"${rest.symbol}" can't follow a comparison; comparisons are combined with AND and OR.`,
      );
    }
    if (rest.kind !== 'end') throw this.cursor.fault(rest, `expected AND, OR or the end, got ${found(rest)}.`);
    return { expression, ...this.counted };
  }

  protected override any(): Expression {
    return this.#chain('OR', () => this.#chain('AND', () => this.#not()));
  }

  #chain(operator: 'AND' | 'OR', operand: () => Expression): Expression {
    const first = operand();
    const at = this.cursor.peek();
    if (!isWord(at, operator)) return first;
    const operands = [first];
    while (this.cursor.takeWord(operator)) operands.push(operand());
    return this.cursor.composite({ kind: 'logical', operator, operands, position: this.cursor.position(at) }, operands);
  }

  #not(): Expression {
    const at = this.cursor.peek();
    if (!this.cursor.takeWord('NOT')) return this.#predicate();
    const operand = this.cursor.nested(at, () => this.#not());
    return this.cursor.composite({ kind: 'not', operand, position: this.cursor.position(at) }, [operand]);
  }

  #predicate(): Expression {
    const left = this.value();
    const at = this.cursor.peek();
    const position = this.cursor.position(at);
    const operator = comparisonOf(at);
    if (operator !== undefined) {
      this.cursor.skip();
      const next = this.cursor.peek();
      if (operator === '=' && isSymbol(next, '=')) throw this.cursor.fault(next, '"equal" is written with one "=".');
      const right = this.value();
      return this.cursor.predicate({ kind: 'comparison', operator, left, right, ignoreCase: false, position }, [
        left,
        right,
      ]);
    }
    if (this.cursor.takeWord('IS')) {
      const negated = this.cursor.takeWord('NOT');
      if (!this.cursor.takeWord('NULL'))
        throw this.cursor.fault(this.cursor.peek(), 'IS is followed by NULL or NOT NULL.');
      return this.cursor.predicate({ kind: 'isNull', operand: left, negated, position }, [left]);
    }
    const negated = this.cursor.takeWord('NOT');
    if (this.cursor.takeWord('LIKE')) return this.#like(left, negated, false, position);
    if (this.cursor.takeWord('ILIKE')) return this.#like(left, negated, true, position);
    if (this.cursor.takeWord('IN')) return this.#in(left, negated, position);
    if (this.cursor.takeWord('BETWEEN')) return this.#between(left, negated, position);
    if (negated) throw this.cursor.fault(this.cursor.peek(), 'NOT is followed by LIKE, ILIKE, IN or BETWEEN here.');
    return left;
  }

  #like(operand: Expression, negated: boolean, ignoreCase: boolean, position: Position): Expression {
    const at = this.cursor.peek();
    if (at.kind !== 'text' && at.kind !== 'parameter') {
      const word = ignoreCase ? 'ILIKE' : 'LIKE';
      throw this.cursor.fault(at, `expected a text in quotes or "?" after ${word}, got ${found(at)}.`);
    }
    const pattern = this.primary();
    let escapedBy: string | null = null;
    if (this.cursor.takeWord('ESCAPE')) {
      const token = this.cursor.peek();
      if (token.kind !== 'text' || [...token.value].length !== 1) {
        throw this.cursor.fault(token, `expected one character in quotes after ESCAPE, got ${found(token)}.`);
      }
      this.cursor.skip();
      escapedBy = token.value;
    }
    return this.cursor.predicate({ kind: 'like', operand, pattern, escape: escapedBy, negated, ignoreCase, position }, [
      operand,
    ]);
  }

  #in(operand: Expression, negated: boolean, position: Position): Expression {
    const open = this.cursor.peek();
    if (!isSymbol(open, '(')) throw this.cursor.fault(open, 'IN is followed by a list of values in parentheses.');
    if (this.isSubQuery()) {
      const query = this.subQuery(open, () => this.value());
      const parts = [operand, query.value, ...(query.where === null ? [] : [query.where])];
      return this.cursor.composite({ kind: 'inQuery', operand, query, negated, position }, parts);
    }
    const list = this.list(open);
    return this.cursor.predicate({ kind: 'in', operand, list, negated, ignoreCase: false, position }, [
      operand,
      ...list,
    ]);
  }

  #between(operand: Expression, negated: boolean, position: Position): Expression {
    const low = this.value();
    if (!this.cursor.takeWord('AND')) {
      throw this.cursor.fault(
        this.cursor.peek(),
        `expected AND and a second value for BETWEEN, got ${found(this.cursor.peek())}.`,
      );
    }
    const high = this.value();
    return this.cursor.predicate({ kind: 'between', operand, low, high, negated, position }, [operand, low, high]);
  }
}

function comparisonOf(token: Token): ComparisonOperator | undefined {
  if (token.kind !== 'symbol') return undefined;
  return Object.hasOwn(comparisons, token.symbol) ? comparisons[token.symbol as keyof typeof comparisons] : undefined;
}
