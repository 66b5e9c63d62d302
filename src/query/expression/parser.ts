/**
 * Parses expression text (docs/reference/expression-language.md#grammar) into the tree, by recursive descent with SQL's
 * precedence: OR, AND, NOT, predicate, the operators of `language.ts`, sign. Chains of AND or OR become one flat node. The parser knows nothing
 * of tables and types.
 */
import { quoted } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { isName } from '../../schema/names.ts';
import type { ColumnReference, Expression, Position } from '../ast.ts';
import { notValid } from '../fault.ts';
import {
  type AggregateName,
  aggregateRuleOf,
  aggregates,
  type ComparisonOperator,
  comparisons,
  functions,
  isAggregate,
  isFunction,
  isOperator,
  operators,
  ruleOf,
} from '../language.ts';
import { Cursor, found, isSymbol, isWord } from './cursor.ts';
import { type Token, tokensOf } from './lexer.ts';

const functionNames = Object.keys(functions);
/** Each binds more tightly than the one before. */
const precedences = [...new Set(Object.values(operators).map(({ precedence }) => precedence))].sort(
  (one, other) => one - other,
);
/** The words that join values and conditions; NULL, TRUE and FALSE are values. */
const keywords = ['AND', 'OR', 'NOT', 'LIKE', 'ESCAPE', 'IN', 'BETWEEN', 'IS'];
const literals = ['NULL', 'TRUE', 'FALSE'];

export interface ParsedExpression {
  readonly expression: Expression;
  /** How many `?` it has. */
  readonly parameters: number;
  readonly hasAggregate: boolean;
}

/** What the words of an expression may name, besides functions: nothing, or values of `select`. */
export type Naming = 'nothing' | 'values';

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

/** Exactly `#alias.column`, as in `orderBy`. */
export function parseColumn(source: string, field: string): ColumnReference {
  const [first, second] = tokensOf(source, field);
  if (first?.kind === 'column' && second?.kind === 'end') {
    return { kind: 'column', alias: first.alias, column: first.column, position: { source: field, at: 0 } };
  }
  throw notValid({ source: field, at: 0 }, `expected a column like #alias.column, got ${quoted(source)}.`);
}

class Parser {
  readonly #cursor: Cursor;
  readonly #firstParameter: number;
  readonly #naming: Naming;
  #parameters = 0;
  #hasAggregate = false;

  constructor(cursor: Cursor, firstParameter: number, naming: Naming) {
    this.#cursor = cursor;
    this.#firstParameter = firstParameter;
    this.#naming = naming;
  }

  whole(): ParsedExpression {
    const expression = this.#or();
    const rest = this.#cursor.peek();
    if (rest.kind === 'symbol' && rest.symbol === ')') throw this.#cursor.fault(rest, 'this ")" has no "(" before it.');
    if (rest.kind === 'symbol' && comparisonOf(rest) !== undefined) {
      throw this.#cursor.fault(
        rest,
        `"${rest.symbol}" can't follow a comparison; comparisons are combined with AND and OR.`,
      );
    }
    if (rest.kind !== 'end') throw this.#cursor.fault(rest, `expected AND, OR or the end, got ${found(rest)}.`);
    return { expression, parameters: this.#parameters, hasAggregate: this.#hasAggregate };
  }

  #or(): Expression {
    return this.#chain('OR', () => this.#chain('AND', () => this.#not()));
  }

  #chain(operator: 'AND' | 'OR', operand: () => Expression): Expression {
    const first = operand();
    const at = this.#cursor.peek();
    if (!isWord(at, operator)) return first;
    const operands = [first];
    while (this.#cursor.takeWord(operator)) operands.push(operand());
    return this.#cursor.composite(
      { kind: 'logical', operator, operands, position: this.#cursor.position(at) },
      operands,
    );
  }

  #not(): Expression {
    const at = this.#cursor.peek();
    if (!this.#cursor.takeWord('NOT')) return this.#predicate();
    const operand = this.#cursor.nested(at, () => this.#not());
    return this.#cursor.composite({ kind: 'not', operand, position: this.#cursor.position(at) }, [operand]);
  }

  #predicate(): Expression {
    const left = this.#value();
    const at = this.#cursor.peek();
    const position = this.#cursor.position(at);
    const operator = comparisonOf(at);
    if (operator !== undefined) {
      this.#cursor.skip();
      const right = this.#value();
      return this.#cursor.predicate({ kind: 'comparison', operator, left, right, ignoreCase: false, position }, [
        left,
        right,
      ]);
    }
    if (this.#cursor.takeWord('IS')) {
      const negated = this.#cursor.takeWord('NOT');
      if (!this.#cursor.takeWord('NULL'))
        throw this.#cursor.fault(this.#cursor.peek(), 'IS is followed by NULL or NOT NULL.');
      return this.#cursor.predicate({ kind: 'isNull', operand: left, negated, position }, [left]);
    }
    const negated = this.#cursor.takeWord('NOT');
    if (this.#cursor.takeWord('LIKE')) return this.#like(left, negated, position);
    if (this.#cursor.takeWord('IN')) return this.#in(left, negated, position);
    if (this.#cursor.takeWord('BETWEEN')) return this.#between(left, negated, position);
    if (negated) throw this.#cursor.fault(this.#cursor.peek(), 'NOT is followed by LIKE, IN or BETWEEN here.');
    return left;
  }

  #like(operand: Expression, negated: boolean, position: Position): Expression {
    const at = this.#cursor.peek();
    if (at.kind !== 'text' && at.kind !== 'parameter') {
      throw this.#cursor.fault(at, `expected a text in quotes or "?" after LIKE, got ${found(at)}.`);
    }
    const pattern = this.#primary();
    let escapedBy: string | null = null;
    if (this.#cursor.takeWord('ESCAPE')) {
      const token = this.#cursor.peek();
      if (token.kind !== 'text' || [...token.value].length !== 1) {
        throw this.#cursor.fault(token, `expected one character in quotes after ESCAPE, got ${found(token)}.`);
      }
      this.#cursor.skip();
      escapedBy = token.value;
    }
    return this.#cursor.predicate(
      { kind: 'like', operand, pattern, escape: escapedBy, negated, ignoreCase: false, position },
      [operand],
    );
  }

  #in(operand: Expression, negated: boolean, position: Position): Expression {
    const open = this.#cursor.peek();
    if (!isSymbol(open, '(')) throw this.#cursor.fault(open, 'IN is followed by a list of values in parentheses.');
    const list = this.#list(open);
    return this.#cursor.predicate({ kind: 'in', operand, list, negated, ignoreCase: false, position }, [
      operand,
      ...list,
    ]);
  }

  #between(operand: Expression, negated: boolean, position: Position): Expression {
    const low = this.#value();
    if (!this.#cursor.takeWord('AND')) {
      throw this.#cursor.fault(
        this.#cursor.peek(),
        `expected AND and a second value for BETWEEN, got ${found(this.#cursor.peek())}.`,
      );
    }
    const high = this.#value();
    return this.#cursor.predicate({ kind: 'between', operand, low, high, negated, position }, [operand, low, high]);
  }

  /** The operators of `language.ts` between values, from the given level of precedence on. */
  #value(level = 0): Expression {
    const precedence = precedences[level];
    if (precedence === undefined) return this.#signed();
    let left = this.#value(level + 1);
    for (;;) {
      const at = this.#cursor.peek();
      if (at.kind !== 'symbol' || !isOperator(at.symbol) || operators[at.symbol].precedence !== precedence) return left;
      this.#cursor.skip();
      const operands = [left, this.#value(level + 1)];
      left = this.#cursor.composite(
        { kind: 'call', name: at.symbol, arguments: operands, position: this.#cursor.position(at) },
        operands,
      );
    }
  }

  /**
   * A sign belongs to the number after it (so that the smallest long can be written); before anything else it means `0
   * - x`.
   */
  #signed(): Expression {
    const at = this.#cursor.peek();
    if (!isSymbol(at, '-')) return this.#primary();
    this.#cursor.skip();
    const next = this.#cursor.peek();
    const position = this.#cursor.position(at);
    if (next.kind === 'number') {
      this.#cursor.skip();
      return { kind: 'number', text: `-${next.text}`, position };
    }
    const right = this.#cursor.nested(at, () => this.#signed());
    const left: Expression = { kind: 'number', text: '0', position };
    return this.#cursor.composite({ kind: 'call', name: '-', arguments: [left, right], position }, [right]);
  }

  #primary(): Expression {
    const token = this.#cursor.peek();
    const position = this.#cursor.position(token);
    this.#cursor.skip();
    switch (token.kind) {
      case 'column':
        return { kind: 'column', alias: token.alias, column: token.column, position };
      case 'parameter':
        return { kind: 'parameter', index: this.#firstParameter + this.#parameters++, position };
      case 'number':
        return { kind: 'number', text: token.text, position };
      case 'text':
        return { kind: 'text', value: token.value, position };
      case 'word':
        return this.#word(token, position);
      case 'symbol':
        if (token.symbol === '(') return this.#parenthesis(token);
        break;
      case 'end':
        break;
    }
    throw this.#cursor.fault(token, `expected a value or a condition, got ${found(token)}.`);
  }

  #word(token: Token & { kind: 'word' }, position: Position): Expression {
    const { word } = token;
    if (word === 'NULL') return { kind: 'null', position };
    if (word === 'TRUE' || word === 'FALSE') return { kind: 'bool', value: word === 'TRUE', position };
    if (this.#naming === 'values' && isValueName(token) && !isSymbol(this.#cursor.peek(), '(')) {
      return { kind: 'name', name: token.text, position };
    }
    if (isAggregate(word)) return this.#aggregate(word, token, position);
    return isFunction(word) ? this.#call(word, token, position) : this.#strayWord(token);
  }

  #aggregate(name: AggregateName, token: Token, position: Position): Expression {
    const open = this.#cursor.peek();
    if (!isSymbol(open, '(')) throw this.#cursor.fault(open, `expected "(" after the function ${name}.`);
    this.#hasAggregate = true;
    this.#cursor.skip();
    const { counts = false } = aggregateRuleOf(name);
    const star = this.#cursor.peek();
    if (this.#cursor.takeSymbol('*')) {
      if (!counts) throw this.#cursor.fault(star, `${name} takes a value; COUNT(*) counts rows.`);
      this.#close(open);
      return { kind: 'aggregate', name, operand: null, distinct: false, position };
    }
    const distinct = this.#cursor.takeWord('DISTINCT');
    if (distinct && !counts) throw this.#cursor.fault(star, 'DISTINCT can only stand in COUNT(DISTINCT ...).');
    const operand = this.#cursor.nested(open, () => this.#or());
    if (isSymbol(this.#cursor.peek(), ','))
      throw this.#cursor.fault(token, `${name}: expected one value, got several.`);
    this.#close(open);
    return this.#cursor.composite({ kind: 'aggregate', name, operand, distinct, position }, [operand]);
  }

  #call(name: keyof typeof functions, token: Token, position: Position): Expression {
    const open = this.#cursor.peek();
    if (!isSymbol(open, '(')) throw this.#cursor.fault(open, `expected "(" after the function ${name}.`);
    const list = this.#list(open);
    const rule = ruleOf(name);
    if (rule.form !== 'coalesce' && list.length !== rule.operands.length) {
      const expected = rule.operands.length === 1 ? 'one value' : `${rule.operands.length} values`;
      throw this.#cursor.fault(token, `${name}: expected ${expected}, got ${list.length}.`);
    }
    return this.#cursor.composite({ kind: 'call', name, arguments: list, position }, list);
  }

  /** Explains why a word cannot begin a value. */
  #strayWord(token: Token & { kind: 'word' }): never {
    const { word, text } = token;
    if (keywords.includes(word)) {
      throw this.#cursor.fault(token, `expected a value or a condition, got ${found(token)}.`);
    }
    if (isSymbol(this.#cursor.peek(), '(')) {
      const known = functionNames.join(', ');
      const meant = didYouMean(word, [...functionNames, ...Object.keys(aggregates)]);
      throw this.#cursor.fault(token, `unknown function ${quoted(text)}, there are ${known}${meant}`);
    }
    if (text.includes('.')) throw this.#cursor.fault(token, `unknown word ${quoted(text)}; a column begins with "#".`);
    const advice = "a column is written #alias.column, text 'in single quotes'";
    throw this.#cursor.fault(token, `unknown word ${quoted(text)}, ${advice}${didYouMean(word, keywords)}`);
  }

  #parenthesis(open: Token): Expression {
    const inner = this.#cursor.nested(open, () => this.#or());
    this.#close(open);
    return inner;
  }

  /** Values in parentheses, at least one. */
  #list(open: Token): Expression[] {
    this.#cursor.skip();
    const list: Expression[] = [];
    this.#cursor.nested(open, () => {
      do list.push(this.#or());
      while (this.#cursor.takeSymbol(','));
    });
    this.#close(open);
    return list;
  }

  #close(open: Token): void {
    if (this.#cursor.takeSymbol(')')) return;
    const token = this.#cursor.peek();
    throw this.#cursor.fault(token, `expected ")" for the "(" at character ${open.at}, got ${found(token)}.`);
  }
}

/** Whether the word can name a value of `select`, which a value in the place of a condition, as TRUE, can't. */
function isValueName({ word, text }: Token & { kind: 'word' }): boolean {
  return isName(text) && !keywords.includes(word) && !literals.includes(word);
}

function comparisonOf(token: Token): ComparisonOperator | undefined {
  if (token.kind !== 'symbol') return undefined;
  return Object.hasOwn(comparisons, token.symbol) ? comparisons[token.symbol as keyof typeof comparisons] : undefined;
}
