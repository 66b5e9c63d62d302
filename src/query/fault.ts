/**
 * The error of an invalid query: the position, what was sent, and what was expected
 * (docs/reference/expression-language.md#errors, 132).
 */
import { ServiceError } from '../errors.ts';
import type { Position } from './ast.ts';

/** @param message a full sentence */
export function notValid(position: Position, message: string): ServiceError {
  return new ServiceError(132, `${positionText(position)}: ${message}`);
}

/** A position as errors name it. */
export function positionText({ source, at }: Position): string {
  return at > 0 ? `${source}, character ${at}` : source;
}

/** A cursor whose keys no longer mean what they did. */
export function outdatedCursor(): ServiceError {
  return new ServiceError(132, 'after: the tables have changed since this cursor was made; begin with the first page.');
}
