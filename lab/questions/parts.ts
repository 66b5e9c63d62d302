/** Pieces of random expressions: text with its parameters, and how pieces are combined. */
import type { Random } from '../machine/random.ts';

export interface Part {
  readonly source: string;
  readonly params: readonly unknown[];
}

export const plain = (source: string): Part => ({ source, params: [] });

export function joined(parts: readonly Part[], build: (...sources: string[]) => string): Part {
  return { source: build(...parts.map(({ source }) => source)), params: parts.flatMap(({ params }) => params) };
}

export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const comparisons = ['=', '=', '=', '<>', '!=', '<', '<=', '>', '>='];

/** Joins two values by one of the operators. */
export const operatorsIn =
  (random: Random) =>
  (operators: readonly string[], ...values: readonly [Part, Part]): Part =>
    joined(values, (left, right) => `${left} ${random.pick(operators)} ${right}`);

/** Writes words of the language in a random case. */
export const wordsIn = (random: Random) => (text: string) =>
  random.weighted(
    [6, () => text],
    [1, () => text.toLowerCase()],
    [1, () => `${text[0]}${text.slice(1).toLowerCase()}`],
  );
