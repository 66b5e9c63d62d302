/**
 * Whether the caller's roles permit an operation on a table (docs/reference/roles.md#custom-roles): checked before any
 * answer depends on the table.
 */
import type { TableRight } from '../caller.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { Query } from '../query/ast.ts';
import type { Requester } from './visibility.ts';

type Holder = Pick<Requester, 'tableRights' | 'subject'>;

/** Whether the roles grant the right, on a table of this name or on all. */
export function hasTableRight({ tableRights }: Pick<Holder, 'tableRights'>, right: TableRight, table: string): boolean {
  return (
    tableRights === null || [tableRights.get('*'), tableRights.get(table.toLowerCase())].some((of) => of?.has(right))
  );
}

/**
 * Answers the same whether the table is defined or not.
 * @throws ServiceError `forbidden`, naming the table and the right
 */
export function requireTableRight(caller: Holder, right: TableRight, table: string): void {
  if (hasTableRight(caller, right, table)) return;
  const roles = caller.subject === undefined ? 'your roles' : `the roles of ${caller.subject}`;
  throw new ServiceError(
    'forbidden',
    `None of ${roles} grants the right to ${right} records of table ${quoted(table)}.`,
  );
}

/**
 * Requires the right to read every table of the query, including joined ones and those of sub-queries.
 * @throws ServiceError `forbidden`
 */
export function requireReading(caller: Holder, { from, joins, further }: Query): void {
  if (caller.tableRights === null) return;
  for (const { table } of [from, ...joins.map((join) => join.table), ...further]) {
    requireTableRight(caller, 'read', table);
  }
}
