/**
 * LOWER, UPPER and comparing without regard to case (docs/reference/expression-language.md#functions-and-arithmetic):
 * one shipped table of simple folds, the same on every engine. One code point becomes one code point, so no length
 * changes; texts are equal regardless of case if and only if their `foldLower` is equal. `fold-table.generate.ts`
 * documents the rules of the table and its special letters.
 */
import { lowerRuns, upperRuns } from './fold-table.ts';

/** The folded code point for each code point of the basic plane, and for those above it that change. */
interface Table {
  readonly basic: Uint16Array;
  readonly others: ReadonlyMap<number, number>;
}

const lower = foldOf(lowerRuns);
const upper = foldOf(upperRuns);
const isNotAscii = /[^\0-\x7f]/;

/** The text in lower case; folding it again changes nothing. */
export function foldLower(text: string): string {
  return isNotAscii.test(text) ? folded(text, lower) : text.toLowerCase();
}

/** The text in upper case; folding it again changes nothing. */
export function foldUpper(text: string): string {
  return isNotAscii.test(text) ? folded(text, upper) : text.toUpperCase();
}

export type Fold = 'lower' | 'upper';

/** Folds that are applied one after the other: at most two, since more have the same result as the last two. */
export type Folds = readonly Fold[];

/** Adds a fold to the folds of a text; a repetition of the last one is dropped. */
export function foldsThen(folds: Folds, next: Fold): Folds {
  return folds.at(-1) === next ? folds : [...folds, next].slice(-2);
}

export function foldBy(text: string, folds: Folds): string {
  return folds.reduce((folded, fold) => (fold === 'lower' ? foldLower(folded) : foldUpper(folded)), text);
}

function foldOf(runs: readonly number[]): Table {
  const basic = Uint16Array.from({ length: 0x1_0000 }, (_, codePoint) => codePoint);
  const others = new Map<number, number>();
  for (let at = 0; at < runs.length; at += 4) {
    const [first, count, step, distance] = runs.slice(at, at + 4) as [number, number, number, number];
    for (let codePoint = first; codePoint < first + count * step; codePoint += step) {
      if (codePoint < basic.length) basic[codePoint] = codePoint + distance;
      else others.set(codePoint, codePoint + distance);
    }
  }
  return { basic, others };
}

function folded(text: string, fold: Table): string {
  let result = '';
  let copied = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if ((unit & 0xfc00) === 0xd800) {
      const other = fold.others.get(text.codePointAt(index)!);
      if (other !== undefined) {
        result += text.slice(copied, index) + String.fromCodePoint(other);
        copied = index + 2;
      }
    } else if (fold.basic[unit] !== unit) {
      result += text.slice(copied, index) + String.fromCharCode(fold.basic[unit]!);
      copied = index + 1;
    }
  }
  return result + text.slice(copied);
}
