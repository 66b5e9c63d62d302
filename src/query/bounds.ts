/** Limits on the size of a query. Each limit has its own error, which names the setting where there is one. */
import { ServiceError } from '../errors.ts';

/**
 * Limits that come from the engines. The lower one applies to both, so that every engine answers the same request in
 * the same way. SQLite: 2 000 columns in a result or an ORDER BY, 32 766 bound values; PostgreSQL: 1 664 columns,
 * 65 535 bound values.
 */
export const resultColumnsMax = 1_600;
const sortKeysMax = 1_000;
/** Each full join repeats the SQL of all joins before it. */
export const fullJoinsMax = 3;
/** Each group column takes up to three columns of a statement. */
export const groupColumnsMax = 500;
/** SQLite keeps 2 MiB of each count's values in memory, and the rest in a temporary file. */
export const distinctCountsMax = 8;
/**
 * Parameters and distinct literals together; the remainder up to the engines' limit is for values that the service
 * binds itself.
 */
export const boundValuesMax = 32_000;

/** `/` counts once; YEAR, MONTH and DAY, whose SQL holds all clock changes of a zone, count eight times. */
const longCallsMax = 128;
/** Each is a sub-statement of the query. */
const matchesMax = 16;
/** SQLite accepts expressions of up to 1 000 levels; the difference is for the SQL around a condition or value. */
const levelsMax = 940;

/** @throws ServiceError 132 */
export function checkLongCalls(count: number): void {
  checkBound(count, longCallsMax, 'divisions (YEAR, MONTH and DAY count as 8 each)');
}

/** @param bytes total of the texts at their greatest length @throws ServiceError 132 */
export function checkHeldTexts(bytes: number, max: number): void {
  checkBound(bytes, max, 'bytes of text that it may join, cut or repeat in a row', 'functionBytesMax');
}

/** @throws ServiceError 132 */
export function checkMatchCount(count: number): void {
  checkBound(count, matchesMax, 'MATCH conditions');
}

/** @param levels of one expression's tree in SQL @throws ServiceError 132 */
export function checkLevels(levels: number): void {
  checkBound(levels, levelsMax, 'nested levels of operators and functions');
}

/** @throws ServiceError 132 */
export function checkTableCount(count: number, queryTablesMax: number): void {
  checkBound(count, queryTablesMax, 'tables', 'queryTablesMax');
}

/** @throws ServiceError 132 */
export function checkParameterCount(count: number, parametersMax: number): void {
  checkBound(count, parametersMax, 'parameters', 'parametersMax');
}

/**
 * Checked before the names are read: repeated names have no effect, but a body could hold 300 000 of them. @throws
 * ServiceError 132
 */
export function checkSortKeyCount(count: number): void {
  checkBound(count, sortKeysMax, 'sort keys');
}

/** @throws ServiceError 132 */
export function checkBound(count: number, max: number, what: string, setting?: string): void {
  if (count <= max) return;
  const bound = setting === undefined ? `at most ${max}` : `at most ${max} (${setting})`;
  throw new ServiceError(132, `The query has ${count} ${what}; ${bound} are possible.`);
}
