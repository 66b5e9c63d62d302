/** How a query that is not valid is answered: where it is wrong, what came, what was expected (decisions.md §9, 132). */
import { ServiceError } from '../errors.ts';
import { nearest } from '../schema/names.ts';
import type { Position } from './ast.ts';

/** @param message a full sentence */
export function notValid(position: Position, message: string): ServiceError {
  return new ServiceError(132, `${placeOf(position)}: ${message}`);
}

export function placeOf(position: Position): string {
  return position.at > 0 ? `${position.source}, character ${position.at}` : position.source;
}

/** The end of a sentence about an unknown name: `; did you mean "Name"?`, or a full stop. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? '.' : `; did you mean "${meant}"?`;
}
