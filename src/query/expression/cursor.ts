/** Walks over the tokens of one expression for its parser, and limits the depth of the parser and of the tree. */
import { quoted } from '../../errors.ts';
import type { Expression, Position } from '../ast.ts';
import { notValid } from '../fault.ts';
import { type Token, tokensOf } from './lexer.ts';

export class Cursor {
  readonly #tokens: readonly Token[];
  readonly #field: string;
  readonly #depthMax: number;
  /** Depth of the nodes that have one; a leaf and a predicate over leaves have depth 0. */
  readonly #depths = new Map<Expression, number>();
  #index = 0;
  /** Parentheses, NOTs and signs that are open at the current token. */
  #nesting = 0;

  constructor(source: string, field: string, depthMax: number) {
    this.#tokens = tokensOf(source, field);
    this.#field = field;
    this.#depthMax = depthMax;
  }

  /** The current token, or one after it; past the end, the end token. */
  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)]!;
  }

  skip(): void {
    this.#index++;
  }

  takeWord(word: string): boolean {
    const taken = isWord(this.peek(), word);
    if (taken) this.skip();
    return taken;
  }

  takeSymbol(symbol: string): boolean {
    const taken = isSymbol(this.peek(), symbol);
    if (taken) this.skip();
    return taken;
  }

  /** Consumes the word. @param after what the word follows, for the error: `the value of ELSE` */
  expect(word: string, after: string): void {
    if (this.takeWord(word)) return;
    const next = this.peek();
    throw this.fault(next, `expected ${word} after ${after}, got ${found(next)}.`);
  }

  /** Consumes the ")" of an open "(". */
  close(open: Token): void {
    if (this.takeSymbol(')')) return;
    const token = this.peek();
    throw this.fault(token, `expected ")" for the "(" at character ${open.at}, got ${found(token)}.`);
  }

  position(token: { readonly at: number }): Position {
    return { source: this.#field, at: token.at };
  }

  fault(token: { readonly at: number }, message: string): Error {
    return notValid(this.position(token), message);
  }

  /** Enters one level. Every recursive call of the parser goes through here. */
  nested<T>(opened: Token, inner: () => T): T {
    if (++this.#nesting > this.#depthMax) throw this.#tooDeep(opened);
    const result = inner();
    this.#nesting--;
    return result;
  }

  /** Records the depth of the node: one more than its deepest child's. A long chain is deep without nesting. */
  composite(node: Expression, children: readonly Expression[]): Expression {
    return this.#noted(node, children, 1);
  }

  /** The same for a predicate, which adds no level: one predicate contains another only in parentheses. */
  predicate(node: Expression, children: readonly Expression[]): Expression {
    return this.#noted(node, children, 0);
  }

  #noted(node: Expression, children: readonly Expression[], levels: 0 | 1): Expression {
    const depth = children.reduce((deepest, child) => Math.max(deepest, this.#depths.get(child) ?? 0), 0) + levels;
    if (depth > this.#depthMax) throw this.#tooDeep(node.position);
    if (depth > 0) this.#depths.set(node, depth);
    return node;
  }

  #tooDeep(token: { readonly at: number }): Error {
    return this.fault(token, `the expression is nested deeper than ${this.#depthMax} levels (expressionDepthMax).`);
  }
}

export function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.word === word;
}

export function isSymbol(token: Token, symbol: string): boolean {
  return token.kind === 'symbol' && token.symbol === symbol;
}

/** A token as error messages show it. */
export function found(token: Token): string {
  switch (token.kind) {
    case 'column':
      return quoted(`#${token.alias}.${token.column}`);
    case 'parameter':
      return '"?"';
    case 'number':
    case 'word':
      return quoted(token.text);
    case 'text':
      return `the text ${quoted(token.value)}`;
    case 'symbol':
      return `"${token.symbol}"`;
    case 'end':
      return 'the end';
  }
}
