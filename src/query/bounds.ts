/** How large a query may be. Every bound has its own error; those with a setting name it. */
import { ServiceError } from '../errors.ts';

/**
 * Bounds that come from the engines, one for all of them, so that each answers the same request in the same way. SQLite:
 * 2 000 columns in a result or an ORDER BY, 32 766 bound values; PostgreSQL: 1 664 columns, 65 535 bound values.
 */
export const resultColumnsMax = 1_600;
const sortKeysMax = 1_000;
/** Parameters and distinct literals together, with room for what is bound besides them. */
export const boundValuesMax = 32_000;

/** @throws ServiceError 132 */
export function checkTableCount(count: number, queryTablesMax: number): void {
  checkBound(count, queryTablesMax, 'tables', 'queryTablesMax');
}

/** @throws ServiceError 132 */
export function checkParameterCount(count: number, parametersMax: number): void {
  checkBound(count, parametersMax, 'parameters', 'parametersMax');
}

/** Before they are read: repeated ones do nothing, but a body has room for 300 000. @throws ServiceError 132 */
export function checkSortKeyCount(count: number): void {
  checkBound(count, sortKeysMax, 'sort keys');
}

/** @throws ServiceError 132 */
export function checkBound(count: number, max: number, what: string, setting?: string): void {
  if (count <= max) return;
  const bound = setting === undefined ? `at most ${max}` : `at most ${max} (${setting})`;
  throw new ServiceError(132, `The query has ${count} ${what}; ${bound} are possible.`);
}
