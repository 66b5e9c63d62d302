/** What a cursor's order is made of, so that a cursor ends when a change of the tables gives its keys another meaning. */
import { hash } from 'node:crypto';
import type { CheckedQuery, ColumnUse, GroupSortKey, Value } from '../checked.ts';

type Order = CheckedQuery['orderBy'] | readonly GroupSortKey[];

/** Long enough that no two orders of a query are the same by chance. */
const length = 16;

/**
 * The same text for the same tables, values and directions. A table counts as its number, and a column as its own number
 * and its type: not as their names, which others can have later.
 */
export function orderIdentity({ allTables, rows }: CheckedQuery, order: Order): string {
  const { keys = [], aggregates = [] } = rows?.groups ?? {};
  const columnsOfGroups = [...keys, ...aggregates];
  const text = JSON.stringify([allTables.map(({ table }) => table.id), order], (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}`;
    if (!isUse(part)) return part;
    if (part.kind === 'grouped') return columnsOfGroups[part.column];
    return [part.table, part.column.number, part.column.type];
  });
  return hash('sha256', text, 'base64url').slice(0, length);
}

type Use = ColumnUse | Extract<Value, { readonly kind: 'grouped' }>;

function isUse(part: unknown): part is Use {
  return part instanceof Object && 'kind' in part && (part.kind === 'column' || part.kind === 'grouped');
}
