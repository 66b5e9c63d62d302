/**
 * Parses values of an expression: operators between them, signs, literals, columns, functions, CASE. Parentheses and
 * WHEN accept any expression.
 */
import { quoted } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { isName } from '../../schema/names.ts';
import type { Expression, Position, SubQuery, TableReference } from '../ast.ts';
import {
  type AggregateName,
  aggregateRuleOf,
  aggregates,
  arityOf,
  functions,
  isAggregate,
  isFunction,
  isOperator,
  operators,
  ruleOf,
} from '../language.ts';
import { type Cursor, found, isSymbol, isWord } from './cursor.ts';
import type { Token } from './lexer.ts';
import { readSubQuery, requireSubQuery, subQueryForms, takeOne } from './sub-queries.ts';

const functionNames = Object.keys(functions);
/** Each level binds more tightly than the one before. */
const precedences = [...new Set(Object.values(operators).map(({ precedence }) => precedence))].sort(
  (one, other) => one - other,
);
/** The words that join values and conditions; NULL, TRUE and FALSE are values. */
const connectives = ['AND', 'OR', 'NOT', 'LIKE', 'ILIKE', 'ESCAPE', 'IN', 'BETWEEN', 'IS'];
const keywords = [...connectives, 'CASE', 'WHEN', 'THEN', 'ELSE', 'END'];
const literals = ['NULL', 'TRUE', 'FALSE'];

/** What words in an expression may name besides functions: nothing, or values of `select`. */
export type Naming = 'nothing' | 'values';

export abstract class ValueParser {
  protected readonly cursor: Cursor;
  readonly #firstParameter: number;
  readonly #naming: Naming;
  #parameters = 0;
  #hasAggregate = false;
  readonly #tables: TableReference[] = [];
  /** How many sub-queries are open at the current token. */
  #subQueries = 0;

  /** @param firstParameter index of the first `?` in the whole query */
  constructor(cursor: Cursor, firstParameter: number, naming: Naming) {
    this.cursor = cursor;
    this.#firstParameter = firstParameter;
    this.#naming = naming;
  }

  /** A condition or a value. */
  protected abstract any(): Expression;

  protected get counted() {
    return { parameters: this.#parameters, hasAggregate: this.#hasAggregate, tables: this.#tables };
  }

  /** Values joined by the operators of `language.ts`, from the given level of precedence up. */
  protected value(level = 0): Expression {
    const precedence = precedences[level];
    if (precedence === undefined) return this.#signed();
    let left = this.value(level + 1);
    for (;;) {
      const at = this.cursor.peek();
      if (at.kind !== 'symbol' || !isOperator(at.symbol) || operators[at.symbol].precedence !== precedence) return left;
      this.cursor.skip();
      const operands = [left, this.value(level + 1)];
      left = this.cursor.composite(
        { kind: 'call', name: at.symbol, arguments: operands, position: this.cursor.position(at) },
        operands,
      );
    }
  }

  /**
   * A sign belongs to the number after it (so that the smallest long can be written); before anything else it means `0
   * - x`.
   */
  #signed(): Expression {
    const at = this.cursor.peek();
    if (!isSymbol(at, '-')) return this.primary();
    this.cursor.skip();
    const next = this.cursor.peek();
    const position = this.cursor.position(at);
    if (next.kind === 'number') {
      this.cursor.skip();
      return { kind: 'number', text: `-${next.text}`, position };
    }
    const right = this.cursor.nested(at, () => this.#signed());
    const left: Expression = { kind: 'number', text: '0', position };
    return this.cursor.composite({ kind: 'call', name: '-', arguments: [left, right], position }, [right]);
  }

  protected primary(): Expression {
    const token = this.cursor.peek();
    const position = this.cursor.position(token);
    this.cursor.skip();
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
    throw this.cursor.fault(token, `expected a value or a condition, got ${found(token)}.`);
  }

  #word(token: Token & { kind: 'word' }, position: Position): Expression {
    const { word } = token;
    if (word === 'NULL') return { kind: 'null', position };
    if (word === 'TRUE' || word === 'FALSE') return { kind: 'bool', value: word === 'TRUE', position };
    if (this.#naming === 'values' && isValueName(token) && !isSymbol(this.cursor.peek(), '(')) {
      return { kind: 'name', name: token.text, position };
    }
    if (isAggregate(word)) return this.#aggregate(word, token, position);
    if (word === 'CASE') return this.#case(token, position);
    if (word === 'EXISTS') return this.#exists(position);
    if (word === 'MATCH') return this.#match(token, position);
    return isFunction(word) ? this.#call(word, token, position) : this.#strayWord(token);
  }

  #aggregate(name: AggregateName, token: Token, position: Position): Expression {
    const open = this.cursor.peek();
    if (!isSymbol(open, '(')) throw this.cursor.fault(open, `expected "(" after the function ${name}.`);
    if (this.#subQueries > 0) {
      throw this.cursor.fault(token, `${name}(...) is about groups, and a sub-query has none.`);
    }
    this.#hasAggregate = true;
    this.cursor.skip();
    const { counts = false } = aggregateRuleOf(name);
    const star = this.cursor.peek();
    if (this.cursor.takeSymbol('*')) {
      if (!counts) throw this.cursor.fault(star, `${name} takes a value; COUNT(*) counts rows.`);
      this.cursor.close(open);
      return { kind: 'aggregate', name, operand: null, distinct: false, position };
    }
    if (isSymbol(star, ')')) {
      throw this.cursor.fault(star, `${name}: expected a value, got none${counts ? '; COUNT(*) counts rows' : ''}.`);
    }
    const distinct = this.cursor.takeWord('DISTINCT');
    if (distinct && !counts) throw this.cursor.fault(star, 'DISTINCT can only stand in COUNT(DISTINCT ...).');
    const operand = this.cursor.nested(open, () => this.any());
    if (isSymbol(this.cursor.peek(), ',')) throw this.cursor.fault(token, `${name}: expected one value, got several.`);
    this.cursor.close(open);
    return this.cursor.composite({ kind: 'aggregate', name, operand, distinct, position }, [operand]);
  }

  #call(name: keyof typeof functions, token: Token, position: Position): Expression {
    const open = this.cursor.peek();
    if (!isSymbol(open, '(')) throw this.cursor.fault(open, `expected "(" after the function ${name}.`);
    const [least, most] = arityOf(ruleOf(name));
    const list = least === 0 ? this.#none(open) : this.list(open);
    if (list.length < least || list.length > most) {
      const count = least === most ? `${least}` : `${least} or ${most}`;
      const expected = count === '1' ? 'one value' : `${count} values`;
      throw this.cursor.fault(token, `${name}: expected ${expected}, got ${list.length}.`);
    }
    return this.cursor.composite({ kind: 'call', name, arguments: list, position }, list);
  }

  #match(token: Token, position: Position): Expression {
    const open = this.cursor.peek();
    if (!isSymbol(open, '(')) throw this.cursor.fault(open, 'expected "(" after MATCH.');
    const list = this.list(open);
    const [column, words, ...others] = list;
    if (column === undefined || words === undefined || others.length > 0) {
      throw this.cursor.fault(token, `MATCH: expected 2 values, a column and its words, got ${list.length}.`);
    }
    return this.cursor.predicate({ kind: 'match', column, words, position }, list);
  }

  /** Parentheses, empty or with values; a function without operands refuses values by their number. */
  #none(open: Token): Expression[] {
    this.cursor.skip();
    if (this.cursor.takeSymbol(')')) return [];
    return this.#values(open);
  }

  #case(token: Token, position: Position): Expression {
    const choices: { when: Expression; value: Expression }[] = [];
    let otherwise: Expression | null = null;
    this.cursor.nested(token, () => {
      while (this.cursor.takeWord('WHEN')) {
        const when = this.any();
        this.cursor.expect('THEN', 'the condition of a WHEN');
        choices.push({ when, value: this.any() });
      }
      if (choices.length === 0) this.cursor.expect('WHEN', 'CASE');
      if (this.cursor.takeWord('ELSE')) otherwise = this.any();
      this.cursor.expect('END', otherwise === null ? 'a value of CASE (or WHEN, or ELSE)' : 'the value of ELSE');
    });
    const parts = choices.flatMap(({ when, value }) => [when, value]);
    return this.cursor.composite(
      { kind: 'case', choices, otherwise, position },
      otherwise === null ? parts : [...parts, otherwise],
    );
  }

  #exists(position: Position): Expression {
    const query = this.subQuery(requireSubQuery(this.cursor), () => takeOne(this.cursor));
    return this.cursor.composite({ kind: 'exists', query, position }, query.where === null ? [] : [query.where]);
  }

  /** Whether a sub-query begins after the current token; SELECT may also be the name of a value. */
  protected isSubQuery(): boolean {
    if (!isWord(this.cursor.peek(1), 'SELECT')) return false;
    const next = this.cursor.peek(2);
    if (this.#naming === 'nothing') return true;
    if (next.kind === 'word') return !connectives.includes(next.word);
    return next.kind === 'symbol' ? next.symbol === '(' : next.kind !== 'end';
  }

  /** @param value reads the value after SELECT */
  protected subQuery<Value>(open: Token, value: () => Value): SubQuery<Value> {
    this.#subQueries++;
    const query = readSubQuery(this.cursor, open, {
      value,
      table: (reference) => this.#tables.push(reference),
      condition: () => this.any(),
    });
    this.#subQueries--;
    return query;
  }

  /** Explains why a word cannot begin a value. */
  #strayWord(token: Token & { kind: 'word' }): never {
    const { word, text } = token;
    if (word === 'SELECT') {
      const forms = `${subQueryForms.exists} after EXISTS, or ${subQueryForms.in} after IN`;
      throw this.cursor.fault(token, `SELECT can't stand here; a sub-query is written ${forms}.`);
    }
    if (keywords.includes(word)) {
      throw this.cursor.fault(token, `expected a value or a condition, got ${found(token)}.`);
    }
    if (isSymbol(this.cursor.peek(), '(')) {
      const known = functionNames.join(', ');
      const meant = didYouMean(word, [...functionNames, ...Object.keys(aggregates), 'MATCH']);
      throw this.cursor.fault(token, `unknown function ${quoted(text)}, there are ${known}${meant}`);
    }
    if (text.includes('.')) throw this.cursor.fault(token, `unknown word ${quoted(text)}; a column begins with "#".`);
    const advice = "a column is written #alias.column, text 'in single quotes'";
    throw this.cursor.fault(token, `unknown word ${quoted(text)}, ${advice}${didYouMean(word, connectives)}`);
  }

  #parenthesis(open: Token): Expression {
    const inner = this.cursor.nested(open, () => this.any());
    this.cursor.close(open);
    return inner;
  }

  /** Values in parentheses, at least one. */
  protected list(open: Token): Expression[] {
    this.cursor.skip();
    return this.#values(open);
  }

  #values(open: Token): Expression[] {
    const list: Expression[] = [];
    this.cursor.nested(open, () => {
      do list.push(this.any());
      while (this.cursor.takeSymbol(','));
    });
    this.cursor.close(open);
    return list;
  }
}

/** Whether the word can name a value of `select`; words such as TRUE cannot. */
function isValueName({ word, text }: Token & { kind: 'word' }): boolean {
  return isName(text) && !keywords.includes(word) && !literals.includes(word);
}
