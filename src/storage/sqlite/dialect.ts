/** What SQLite writes in its own way, for compiled queries (`query/statement.ts`) and for the SQL of this folder. */

import { patternParts } from '../../query/like.ts';
import type { BoundValue, Dialect } from '../../query/statement.ts';
import type { ColumnType, StoredValue } from '../../schema/model.ts';
import { gatedDeadline } from './deadline-gate.ts';

/**
 * Names that SQLite keeps for itself: its own tables; the row's number, which every table has beside the columns; true and
 * false, by which no column of a sub-select can be called; the table-valued functions, which a table of the same name would
 * hide from our own SQL.
 */
const reserved = /^(?:sqlite_.*|rowid|oid|_rowid_|true|false|json_each|json_tree|pragma_.*)$/i;

/** The name of a client's table or column in the file: the same, except where it is reserved. Ours begin with `_`. */
export function physicalName(name: string): string {
  return reserved.test(name) ? `_n_${name}` : name;
}

/** Up to this size of a text any pattern is done in an instant. */
const shortBytes = 2_400;

/** The members as JSON text, in which a single-member audience stands in quotes, without any escape. */
function boundMembers(members: readonly string[]): string {
  return JSON.stringify(members);
}

/** Audiences of several members to which one of those bound at the placeholder belongs. */
function sharedAudiences(members: string): string {
  return `SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(${members}))`;
}

export const sqliteDialect: Dialect = {
  table: (name) => quoted(physicalName(name)),
  column: (name) => quoted(physicalName(name)),
  // `node:sqlite` looks the name of every numbered one up in a list of all of them, each time that values are bound.
  placeholder: (position, isNext = false) => (isNext ? '?' : `?${position}`),
  nullOf: () => 'NULL',
  selected: (columnSql, { kind }) => (kind === 'long' || kind === 'decimal' ? `CAST(${columnSql} AS TEXT)` : columnSql),
  bound,
  // A plus sign keeps the planner from using an index for the condition.
  visible: (audience, members, isSought) =>
    `${isSought ? '' : '+'}${audience} IN (SELECT value FROM json_each(${members}) UNION ALL ${sharedAudiences(members)})`,
  // Looking into the text costs a third of listing its members in a temporary table, which pays off from a few rows on.
  visibleRecord: (audience, members) =>
    `(instr(${members}, '"' || ${audience} || '"') > 0 OR ${audience} IN (${sharedAudiences(members)}))`,
  // An audience of several members may be found by more than one of them, hence UNION. The inner name hides the outer one.
  firstOfEach: ({ table, name, members, where, order, rows }) =>
    `(SELECT value AS audience FROM json_each(${members}) UNION ${sharedAudiences(members)}) AS m
     CROSS JOIN ${table} AS ${name} ON ${name}.rowid IN
       (SELECT ${name}.rowid FROM ${table} AS ${name} WHERE ${where} ORDER BY ${order} LIMIT (${rows}))`.replaceAll(
      /\s+/g,
      ' ',
    ),
  boundMembers,
  // With a column of the table, so that it is called for every row and not once per statement. Joined tables of a few rows
  // make millions of pairs out of rows none of which may pass the gate, so there every row calls.
  withinDeadline: (table, isAlone) => (isAlone ? gatedDeadline(`${table}.rowid`) : `within_deadline(${table}.rowid)`),
  like: (operandSql, pattern, isShort) =>
    isShort
      ? `${operandSql} GLOB ${pattern}`
      : `CASE WHEN octet_length(${operandSql}) > ${shortBytes} THEN long_glob(${pattern}, ${operandSql}) ELSE ${operandSql} GLOB ${pattern} END`,
  boundPattern: globOf,
  fold: (textSql, to) => `fold_${to}(${textSql})`,
  arithmetic: (operator, left, right) => `int64(${left} ${operator} ${right})`,
  // Decimals are kept unscaled, so comparing them takes one scale.
  rescaled: (operandSql, digits) => `(CAST(${operandSql} AS BIGINT) * 1${'0'.repeat(digits)})`,
  // SQLite takes the tables of a CROSS JOIN, which may have an ON, in their order.
  innerJoin: (inOrder) => (inOrder ? 'CROSS JOIN' : 'INNER JOIN'),
  // A bare placeholder would be looked at by the planner, and the statement planned anew for every other value.
  range: (limit, offset) => `LIMIT (${limit} + 0) OFFSET (${offset} + 0)`,
  sorted: (columnSql, descending) => (descending ? `${columnSql} DESC` : columnSql),
};

/** Whole numbers as bigint: `node:sqlite` binds every number as REAL. */
function bound(value: StoredValue, type: ColumnType): BoundValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number' && type.kind !== 'double') return BigInt(value);
  return value;
}

/** GLOB is case-sensitive and can use an index, which LIKE is not and can't; its brackets take the place of an escape. */
function globOf(pattern: string, escapedBy: string | null): string {
  const parts = patternParts(pattern, escapedBy) ?? [];
  return parts
    .map((part) => {
      if ('wildcard' in part) return part.wildcard === '%' ? '*' : '?';
      return part.literal === '*' || part.literal === '?' || part.literal === '[' ? `[${part.literal}]` : part.literal;
    })
    .join('');
}

function quoted(name: string): string {
  return `"${name}"`;
}
