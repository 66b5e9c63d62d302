/**
 * Whether the caller's roles permit an operation on a table (docs/reference/roles.md#custom-roles): checked before any
 * answer depends on the table.
 */
import type { Caller, TableRight } from '../caller.ts';
import { quoted, ServiceError } from '../errors.ts';
import type { Query } from '../query/ast.ts';

/**
 * Answers the same whether the table is defined or not. @throws ServiceError `forbidden`, naming the table and the
 * right
 */
export function requireTableRight(caller: Pick<Caller, 'tableRights'>, right: TableRight, table: string): void {
  const rights = caller.tableRights;
  if (rights === null || rights.get('*')?.has(right) || rights.get(table.toLowerCase())?.has(right)) return;
  throw new ServiceError(
    'forbidden',
    `None of your roles grants the right to ${right} records of table ${quoted(table)}.`,
  );
}

/** Requires the right to read every table of the query, including joined ones. @throws ServiceError `forbidden` */
export function requireReading(caller: Pick<Caller, 'tableRights'>, { from, joins }: Query): void {
  if (caller.tableRights === null) return;
  requireTableRight(caller, 'read', from.table);
  for (const join of joins) requireTableRight(caller, 'read', join.table.table);
}
