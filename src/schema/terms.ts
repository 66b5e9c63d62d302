/**
 * The terms by which full text is found (docs/reference/full-text.md): those that a text contains, and those that a
 * query requires. Texts are compared in their compatible form (NFKC, which Unicode guarantees never to change), in
 * lower case by the table of `fold.ts`. Letters, digits and marks (`term-table.ts`) make words. Chinese, Japanese and
 * Korean do not reliably separate words by spaces, so each pair of neighbours is a term, and so is the last character
 * of a run.
 */
import { foldLower } from './fold.ts';
import { bigramRuns, wordRuns } from './term-table.ts';
import { ValueError } from './values.ts';

/** Longest term of a word, in code points; the rest is ignored, in texts and queries alike. */
const termLengthMax = 40;
/** Different terms of one text. PostgreSQL accepts 1 MiB of them. */
const textTermsMax = 5_000;
/** Different terms of one query. */
export const queryTermsMax = 64;

export interface QueryTerm {
  readonly term: string;
  /** Whether terms that begin with it match, too. */
  readonly isPrefix: boolean;
}

/** The role of a code point in terms. */
const kind = { none: 0, word: 1, bigrams: 2 } as const;

/** By code point. */
const kinds = new Uint8Array(Math.max(endOf(wordRuns), endOf(bigramRuns)));
fill(wordRuns, kind.word);
fill(bigramRuns, kind.bigrams);

function endOf(runs: readonly number[]): number {
  return runs.slice(-2).reduce((first, count) => first + count);
}

function fill(runs: readonly number[], of: number): void {
  for (let at = 0; at < runs.length; at += 2) {
    const [first, count] = runs.slice(at, at + 2) as [number, number];
    kinds.fill(of, first, first + count);
  }
}

const isNotAscii = /[^\0-\x7f]/;
/** Soft hyphens, and variation selectors. */
const invisible = /\u00ad|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

function comparable(text: string): string {
  const plain = isNotAscii.test(text) ? text.replace(invisible, '').normalize('NFKC') : text;
  return foldLower(plain);
}

interface Run {
  readonly isOfBigrams: boolean;
  readonly characters: string;
  /** Position after it in the text. */
  readonly end: number;
}

/** The words of a text and, for scripts without spaces, its runs, in order. */
function* runsIn(text: string): Generator<Run, void, void> {
  let begin = 0;
  let of: number = kind.none;
  for (let at = 0; at < text.length; ) {
    const codePoint = text.codePointAt(at) as number;
    const next = kinds[codePoint] ?? kind.none;
    if (next !== of) {
      if (of !== kind.none) yield { isOfBigrams: of === kind.bigrams, characters: text.slice(begin, at), end: at };
      begin = at;
      of = next;
    }
    at += codePoint > 0xffff ? 2 : 1;
  }
  if (of !== kind.none) {
    yield { isOfBigrams: of === kind.bigrams, characters: text.slice(begin), end: text.length };
  }
}

/**
 * The stored form of a text: its terms, each between two spaces.
 * @throws ValueError for more than `textTermsMax`
 */
export function storedTerms(text: string): string {
  const terms = new Set<string>();
  for (const { isOfBigrams, characters } of runsIn(comparable(text))) {
    if (!isOfBigrams) terms.add(shortened(characters));
    else for (const term of bigramsOf(characters, true)) terms.add(term);
    if (terms.size > textTermsMax)
      throw new ValueError(`expected at most ${textTermsMax} different terms, as it has full text, got more.`);
  }
  return terms.size === 0 ? ' ' : ` ${[...terms].join(' ')} `;
}

/** The terms of a query. A word before `*`, and a single character of Chinese, Japanese or Korean, is a prefix. */
export function queryTerms(text: string): QueryTerm[] {
  const terms = new Map<string, QueryTerm>();
  const plain = comparable(text);
  const add = (term: string, isPrefix: boolean) => terms.set(`${term} ${isPrefix}`, { term, isPrefix });
  for (const { isOfBigrams, characters, end } of runsIn(plain)) {
    if (!isOfBigrams) add(shortened(characters), plain[end] === '*');
    else if (isOne(characters)) add(characters, true);
    else for (const term of bigramsOf(characters, false)) add(term, false);
  }
  return [...terms.values()];
}

function isOne(characters: string): boolean {
  return characters.length === String.fromCodePoint(characters.codePointAt(0)!).length;
}

function* bigramsOf(characters: string, withLast: boolean): Generator<string> {
  let before = '';
  for (const character of characters) {
    if (before !== '') yield before + character;
    before = character;
  }
  if (withLast) yield before;
}

function shortened(word: string): string {
  if (word.length <= termLengthMax) return word;
  return [...word].slice(0, termLengthMax).join('');
}
