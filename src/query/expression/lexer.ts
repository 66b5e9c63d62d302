/**
 * Splits expression text (docs/reference/expression-language.md#grammar) into tokens. Every token records its first
 * character, counted in code points from 1. SQL outside the language is refused here, with what to write instead.
 */
import { quoted } from '../../errors.ts';
import { codePointLength } from '../../schema/text.ts';
import { isWellFormed } from '../../text.ts';
import { notValid } from '../fault.ts';
import { comparisons, operators } from '../language.ts';

export type Token =
  | { readonly kind: 'column'; readonly alias: string; readonly column: string; readonly at: number }
  | { readonly kind: 'parameter'; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  /** A bare word: `word` in upper case, `text` as written. */
  | { readonly kind: 'word'; readonly word: string; readonly text: string; readonly at: number }
  | { readonly kind: 'symbol'; readonly symbol: string; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

const comment = /--|\/\*/y;
const column = /#([A-Za-z][A-Za-z0-9_]*)\.([A-Za-z][A-Za-z0-9_]*)/y;
const number = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const afterNumber = /[A-Za-z0-9_.#]+/y;
const text = /'([^']*(?:''[^']*)*)'/y;
/** Includes parts after points: `t.Name` is one, invalid, word. */
const word = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*/y;
/** The longest first, since `<` begins `<=`. */
const symbols = ['(', ')', ',', ...Object.keys(comparisons), ...Object.keys(operators)].sort(
  (left, right) => right.length - left.length,
);
const symbol = new RegExp(symbols.map((each) => each.replaceAll(/\W/g, '\\$&')).join('|'), 'y');

/** `+ - || * / and %` */
const known: string[] = Object.keys(operators);
known.splice(-1, 0, 'and');

/** Notations of other languages that begin with this character, and what to write instead. */
const strangers: readonly (readonly [string, string])[] = [
  ['"', `text is written 'in single quotes', and a column #alias.column, without quotes.`],
  ['`[]', 'a column is written #alias.column, without quotes.'],
  [';', 'an expression is one condition, without ";".'],
  [':@$', 'a parameter is written "?", without a name.'],
  ['&', 'conditions are combined with AND and OR.'],
  ['|^~', `there is no such operator; between values stand ${known.join(' ')}.`],
  ['!', '"not" is written NOT, and "not equal" <> or !=.'],
];

/**
 * @param field where the text came from, for errors (`where.expression.source`)
 * @throws ServiceError 132
 */
export function tokensOf(source: string, field: string): Token[] {
  if (!isWellFormed(source)) {
    throw notValid({ source: field, at: 0 }, 'the text has a NUL character or an unpaired surrogate.');
  }
  const tokens: Token[] = [];
  let index = 0;
  let at = 1;
  while (index < source.length) {
    if (isSpace(source.charCodeAt(index))) {
      index++;
      at++;
      continue;
    }
    const { token, length } = tokenAt(source, index, { source: field, at });
    tokens.push(token);
    // All tokens but text are ASCII.
    at += token.kind === 'text' ? codePointLength(source.slice(index, index + length)) : length;
    index += length;
  }
  tokens.push({ kind: 'end', at });
  return tokens;
}

/** Tab, line feed, vertical tab, form feed, carriage return, blank. */
function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Tests the first character of a number and of a word, so that no pattern is tried in vain. */
const isDigitOrPoint = (first: string) => (first >= '0' && first <= '9') || first === '.';
const isLetter = (first: string) => (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first === '_';

function matchAt(pattern: RegExp, source: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(source);
}

function tokenAt(
  source: string,
  index: number,
  position: { source: string; at: number },
): { token: Token; length: number } {
  const { at } = position;
  const first = source[index] as string;
  let match: RegExpExecArray | null;
  if ((first === '-' || first === '/') && matchAt(comment, source, index) !== null) {
    const advice = first === '-' ? ' Between two minus signs put a blank.' : '';
    throw notValid(position, `comments are not part of an expression.${advice}`);
  }
  if (first === '?') {
    if (/\d/.test(source[index + 1] ?? '')) throw notValid(position, 'a parameter is written "?", without a number.');
    return { token: { kind: 'parameter', at }, length: 1 };
  }
  if (first === '#') {
    match = matchAt(column, source, index);
    if (match === null) {
      throw notValid(
        position,
        '"#" begins a column, which is written #alias.column; names have letters, digits and "_".',
      );
    }
    return { token: { kind: 'column', alias: match[1]!, column: match[2]!, at }, length: match[0].length };
  }
  if (first === "'") {
    match = matchAt(text, source, index);
    if (match === null) throw notValid(position, `the text that begins here has no closing "'".`);
    return { token: { kind: 'text', value: match[1]!.replaceAll("''", "'"), at }, length: match[0].length };
  }
  match = isDigitOrPoint(first) ? matchAt(number, source, index) : null;
  if (match !== null) {
    const rest = matchAt(afterNumber, source, index + match[0].length);
    if (rest !== null) throw notValid(position, `${quoted(match[0] + rest[0])} is not a number.`);
    return { token: { kind: 'number', text: match[0], at }, length: match[0].length };
  }
  match = isLetter(first) ? matchAt(word, source, index) : null;
  if (match !== null) {
    return { token: { kind: 'word', word: match[0].toUpperCase(), text: match[0], at }, length: match[0].length };
  }
  match = matchAt(symbol, source, index);
  if (match !== null) return { token: { kind: 'symbol', symbol: match[0], at }, length: match[0].length };
  const character = String.fromCodePoint(source.codePointAt(index)!);
  const advice = strangers.find(([characters]) => characters.includes(character))?.[1];
  throw notValid(position, `unexpected character ${quoted(character)}${advice ? `: ${advice}` : '.'}`);
}
