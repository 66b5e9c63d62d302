/** Explains former names of tables and columns to those who still use them. */
import { didYouMean, suggestion } from '../nearest.ts';
import type { FormerName } from './model.ts';

/** The end of a sentence about an unknown name: what became of it, or else the probable name, or a full stop. */
export function whatBecameOf(name: string, former: ReadonlyMap<string, FormerName>, known: Iterable<string>): string {
  const before = former.get(name);
  return before === undefined ? didYouMean(name, known) : `; ${changeText(before)}.`;
}

/** The same as a separate sentence, or nothing. */
export function adviceOn(name: string, former: ReadonlyMap<string, FormerName>, known: Iterable<string>): string {
  const before = former.get(name);
  if (before !== undefined) return ` It ${changeText(before).slice('it '.length)}.`;
  return suggestion(name, known);
}

function changeText({ became, time }: FormerName): string {
  const day = new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return became === null ? `it was dropped on ${day}` : `it was renamed to "${became}" on ${day}`;
}
