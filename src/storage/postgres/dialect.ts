/**
 * SQL that is specific to PostgreSQL, for compiled queries (`query/statement.ts`), for the layout of tables, and for
 * this folder.
 */

import { averageDigits } from '../../query/language.ts';
import { patternParts } from '../../query/like.ts';
import type { AggregateSql, BoundKind, BoundValue, Dialect } from '../../query/statement.ts';
import { decimalDigitsMax, scaleOf } from '../../schema/column-type.ts';
import type { ColumnType, StoredValue } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import { decimalText } from '../../schema/numbers.ts';
import { daysFromYear0 } from '../../schema/time.ts';
import { dayMs } from '../../setting.ts';
import type { LayoutDialect } from '../layout.ts';
import { msFromYear0, offsetSql } from '../zone-sql.ts';
import { isUnique } from './failure.ts';
import { wireTextOf } from './rows.ts';

/** System columns of every PostgreSQL table; `oid` was one, and some tools still treat it as one. */
const reserved = /^(?:ctid|xmin|xmax|cmin|cmax|tableoid|oid)$/i;

/**
 * The name of a client's table or column in its schema: unchanged, unless it is reserved. Internal names begin with
 * `_`.
 */
export function physicalName(name: string): string {
  return reserved.test(name) ? `_n_${name}` : name;
}

/** The terms in a column, each between two spaces (`schema/terms.ts`), in the form of an index. */
function vectorOf(columnSql: string): string {
  return `array_to_tsvector(string_to_array(btrim(${columnSql}, ' '), ' '))`;
}

/** A name in quotes for PostgreSQL; names contain no quotes. */
function quotedName(name: string): string {
  return `"${name}"`;
}

/** The SQL type that holds values of a column type, without a length or scale. */
export function sqlType(type: ColumnType): string {
  switch (type.kind) {
    case 'varchar':
    case 'text':
    case 'json':
      return 'text';
    case 'integer':
      return 'integer';
    case 'long':
      return 'bigint';
    case 'double':
      return 'double precision';
    case 'decimal':
      return 'numeric';
    case 'bool':
      return 'boolean';
    case 'datetime':
      return 'timestamptz';
  }
}

/** Makes text compare by code point, even without a column, when the database's collation would apply. */
function typed(sql: string, type: ColumnType): string {
  const name = sqlType(type);
  return name === 'text' ? `(${sql}::text COLLATE "C")` : `${sql}::${name}`;
}

/** The members as the text of an array: letters, digits, nothing to escape. */
function boundMembers(members: readonly string[]): string {
  return `{${members.join(',')}}`;
}

/** Audiences of several members that include one of those bound at the placeholder. */
function sharedAudiences(members: string): string {
  return `SELECT audience FROM "~"._audience_member WHERE member = ANY(${members})`;
}

/** Whether an audience has several members (`schema/audience.ts`). */
function hasSeveral(audience: string): string {
  return `${audience} LIKE '%,%'`;
}

/** The OFFSET keeps PostgreSQL from inlining the values at each use. */
function computedOnce(operandSqls: readonly string[], write: (names: readonly string[]) => string): string {
  const names = operandSqls.map((_, index) => `x${index}`);
  const list = operandSqls.map((sql, index) => `${sql} AS x${index}`).join(', ');
  return `(SELECT ${write(names)} FROM (SELECT ${list} OFFSET 0) AS computed)`;
}

/** The decimal, or NULL if it has more digits than SQLite could hold. */
function withinDigits(sql: string, type: ColumnType): string {
  const least = `1${'0'.repeat(decimalDigitsMax - scaleOf(type))}`;
  return computedOnce([sql], ([value]) => `CASE WHEN abs(${value}) < ${least} THEN ${value} END`);
}

/**
 * The same long division as on SQLite, with the same bounds, because the division of `numeric` chooses its own
 * precision.
 */
function quotient(
  leftSql: string,
  rightSql: string,
  [dividend, divisor]: readonly ColumnType[],
  result: ColumnType,
): string {
  const unscaled = (sql: string, type: ColumnType) => `(${sql})::numeric * 1${'0'.repeat(scaleOf(type))}`;
  const factor = `1${'0'.repeat(scaleOf(result) - scaleOf(dividend!) + scaleOf(divisor!))}`;
  const operands = [unscaled(leftSql, dividend!), unscaled(rightSql, divisor!)];
  return computedOnce(operands, ([a, b]) => {
    const rest = `"~"._int64(mod(${a}, ${b}) * ${factor})::numeric`;
    const value = computedOnce([a!, b!, rest], ([whole, by, left]) => {
      const up = `CASE WHEN 2 * abs(mod(${left}, ${by})) >= abs(${by}) THEN sign(${left}) * sign(${by}) ELSE 0 END`;
      const sum = `div(${whole}, ${by}) * ${factor} + div(${left}, ${by}) + ${up}`;
      return withinDigits(`(${sum}) * ${unitOf(scaleOf(result))}`, result);
    });
    return `CASE WHEN ${b} <> 0 THEN ${value} END`;
  });
}

/** `0.01` for 2. */
function unitOf(scale: number): string {
  return scale === 0 ? '1' : `0.${'0'.repeat(scale - 1)}1`;
}

export const postgresDialect: Dialect = {
  table: (name) => `"~".${quotedName(physicalName(name))}`,
  column: (name) => quotedName(physicalName(name)),
  placeholder: (position, _isNext, kind) => placeholder(position, kind),
  nullOf: (type) => typed('NULL', type),
  // Every value arrives as text, in its wire form or close to it (`rows.ts`).
  selected: (columnSql) => columnSql,
  computed: (valueSql, type) => (type.kind === 'decimal' ? `round(${valueSql}, ${type.scale})` : valueSql),
  rowsToGroup: (rowsSql) => rowsSql,
  aggregate: aggregateSql,
  sumOverflows: () => false,
  // Signals too many groups by a division by zero, which nothing else in a query can cause.
  withinGroups: (number, groupsMax, condition) =>
    `CASE WHEN ${number} <= ${groupsMax} THEN ${condition ?? 'TRUE'} ELSE 1 / (${number} - ${number}) = 1 END`,
  bound,
  // The single-member audiences are a separate term, because the planner has statistics on how many records have each
  // audience. Shared audiences are an array if the planner may look them up in an index; otherwise a table made once,
  // because there may be many.
  visible: (audience, members, isSought) => {
    const shared = sharedAudiences(members);
    const ofSeveral = `${audience} ${isSought ? `= ANY(ARRAY(${shared}))` : `IN (${shared})`}`;
    return `(${audience} = ANY(${members}) OR (${hasSeveral(audience)} AND ${ofSeveral}))`;
  },
  visibleRecord: (audience, members) => {
    const ofSeveral = `EXISTS (${sharedAudiences(members)} AND audience = ${audience})`;
    return `(${audience} = ANY(${members}) OR (${hasSeveral(audience)} AND ${ofSeveral}))`;
  },
  // UNION, because several members may lead to the same audience.
  firstOfEach: ({ table, name, columns, members, where, order, rows }) =>
    `(SELECT unnest(${members}) AS audience UNION ${sharedAudiences(members)}) AS m CROSS JOIN LATERAL \
(SELECT ${columns} FROM ${table} AS ${name} WHERE ${where} ORDER BY ${order} LIMIT ${rows}) AS ${name}`,
  // The planner has statistics on the values of columns.
  triesWalks: false,
  boundMembers,
  // With a LIMIT, the planner must look each id up and can't read the whole table instead.
  merged: {
    id: '(wanted.id COLLATE "C")',
    members: 'wanted.members::text[]',
    sql: (each) =>
      `SELECT found.*, wanted.number FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(id, members, number) \
CROSS JOIN LATERAL (${each} LIMIT 1) AS found`,
  },
  // The connection's `statement_timeout` stops a statement.
  withinDeadline: () => null,
  like: (operandSql, pattern) => `${operandSql} LIKE ${pattern}`,
  boundPattern: likeOf,
  // Letters and digits, nothing to escape.
  boundTerms: (terms) => terms.map(({ term, isPrefix }) => `'${term}'${isPrefix ? ':*' : ''}`).join(' & '),
  hasTerms: (column, terms) => `(${vectorOf(column)} @@ ${terms})`,
  // Uses an array, which is computed first. The planner would otherwise walk an index in page order, because it assumes
  // that one record in two hundred has the terms.
  foundByTerms: ({ table, column, terms }) => {
    const has = `${vectorOf(`found.${quotedName(physicalName(storedName(column)))}`)} @@ ${terms}`;
    return `ctid = ANY(ARRAY(SELECT found.ctid FROM ${postgresDialect.table(storedName(table))} AS found WHERE ${has}))`;
  },
  fold: (columnSql, folds) => folds.reduce((sql, fold) => `"~"._fold_${fold}(${sql})`, columnSql),
  stepping: null,
  computedOnce,
  // numeric does not overflow; casting bigint to bigint costs nothing.
  arithmetic: (operator, left, right, result) => {
    const sql = `${left}::numeric ${operator} ${right}::numeric`;
    return result.kind === 'decimal' ? withinDigits(sql, result) : `"~"._int64(${sql})`;
  },
  quotient,
  rounded: (operand, from, to) => (from.kind === 'decimal' ? `round(${operand}, ${scaleOf(to)})` : operand),
  magnitude: (operand, { kind }) => (kind === 'long' ? `"~"._int64(abs(${operand}::numeric))` : `abs(${operand})`),
  substring: (text, from, count) => {
    const bounds = [from, ...(count === null ? [] : [count])].map((sql) => `least(${sql}, 2147483647)::integer`);
    return `substr(${[text, ...bounds].join(', ')})`;
  },
  datePart: (part, instant, zone) =>
    computedOnce([`(extract(epoch FROM ${instant}) * 1000)::bigint`], ([ms]) => {
      const day = `((${ms} + ${offsetSql(zone, ms!)} + ${msFromYear0}) / ${dayMs} - ${daysFromYear0})::integer`;
      return `extract(${part} FROM DATE '1970-01-01' + ${day})::integer`;
    }),
  json: (column, path, kind) => {
    const found = `jsonb_path_query_first(${column}::jsonb, CAST('strict ' || ${path} AS jsonpath), '{}', true)`;
    const [type, as] = kind === 'text' ? ['string', 'text'] : ['number', 'double precision'];
    return computedOnce([found], ([value]) => {
      const text = `CASE WHEN jsonb_typeof(${value}) = '${type}' THEN (${value} #>> '{}')::${as} END`;
      return kind === 'text' ? `(${text} COLLATE "C")` : text;
    });
  },
  // A decimal is stored with its scale, so it is compared unchanged.
  rescaled: (operandSql) => operandSql,
  // The planner hashes the records itself.
  listsOnce: false,
  innerJoin: () => 'INNER JOIN',
  range: (limit, offset) => `LIMIT CASE WHEN ${limit} >= 0 THEN ${limit} END OFFSET ${offset}`,
  // The declared indexes are built NULLS FIRST, except for the final objectId, which is never null.
  sorted: (columnSql, descending, isNeverNull) => {
    if (isNeverNull) return descending ? `${columnSql} DESC` : columnSql;
    return descending ? `${columnSql} DESC NULLS LAST` : `${columnSql} NULLS FIRST`;
  },
};

export const postgresLayout: LayoutDialect = {
  ...postgresDialect,
  columnType: (type) => {
    const name = sqlType(type);
    if (name === 'text') return 'text COLLATE "C"';
    if (type.kind === 'decimal') return `numeric(${type.precision}, ${type.scale})`;
    return type.kind === 'datetime' ? 'timestamptz(3)' : name;
  },
  tableOptions: '',
  // Must match `sorted`, so that the planner uses the index for that order.
  indexed: (columnSql) => `${columnSql} NULLS FIRST`,
  estimates: () => null,
  isUnique,
  scans: { fill: 45, convert: 80, createIndex: 9, dropColumn: 0 },
  wireText: (type, zone) => (wireTextOf(type, zone) ?? String) as (raw: unknown) => string,
  // Entries are written immediately, because each query would otherwise scan the list of pending ones.
  indexTerms: (table, index, column) => [
    `CREATE INDEX "${index}" ON ${postgresDialect.table(table)} USING gin (${vectorOf(postgresDialect.column(column))}) WITH (fastupdate = off)`,
  ],
  unindexTerms: () => [],
  isNotNull: (table, column) =>
    `SELECT 1 FROM pg_catalog.pg_attribute WHERE attrelid = '${postgresDialect.table(table)}'::regclass
      AND attname = '${physicalName(column)}' AND attnotnull`,
};

function aggregateSql(...[name, distinct, operand, type]: Parameters<Dialect['aggregate']>): AggregateSql {
  if (operand === null || type === null) return plain('count(*)');
  switch (name) {
    case 'SUM':
      return plain(`sum(${operand})`);
    case 'AVG':
      return averageOf(operand, scaleOf(type) + averageDigits);
    case 'COUNT':
      return plain(`count(${distinct ? 'DISTINCT ' : ''}${operand})`);
    case 'MIN':
    case 'MAX':
      // PostgreSQL has no min or max of booleans.
      if (type.kind === 'bool') return plain(`bool_${name === 'MIN' ? 'and' : 'or'}(${operand})`);
      return plain(`${name.toLowerCase()}(${operand})`);
  }
}

function plain(sql: string): AggregateSql {
  return { parts: [sql], value: ([column]) => column as string };
}

/** Rounded half away from zero, in integer arithmetic, because a quotient would be rounded twice. */
function averageOf(operand: string, scale: number): AggregateSql {
  return {
    parts: [`sum(${operand})`, `count(${operand})`],
    value: ([sum, count]) => {
      const exact = `${sum}::numeric`;
      return `sign(${exact}) * div(abs(${exact}) * 2${'0'.repeat(scale)} + ${count}, 2 * ${count}) * 1e-${scale}`;
    },
  };
}

/** Includes the type, because PostgreSQL would otherwise infer one from the other operand, or assume text. */
function placeholder(position: number, kind: BoundKind): string {
  const sql = `$${position}`;
  if (kind === 'members') return `${sql}::text[]`;
  if (kind === 'terms') return `${sql}::tsquery`;
  return typed(sql, kind === 'pattern' ? { kind: 'text' } : kind);
}

/** Every value as text, in a form from which PostgreSQL reads its types without loss. */
function bound(value: StoredValue, type: ColumnType): BoundValue {
  if (value === null) return null;
  switch (type.kind) {
    case 'decimal':
      return decimalText(String(value), type.scale);
    case 'datetime':
      return new Date(value as number).toISOString();
    default:
      return String(value);
  }
}

/** The same pattern with PostgreSQL's default escape character. */
function likeOf(pattern: string, escapedBy: string | null): string {
  const parts = patternParts(pattern, escapedBy) ?? [];
  return parts
    .map((part) => {
      if ('wildcard' in part) return part.wildcard;
      return part.literal === '%' || part.literal === '_' || part.literal === '\\' ? `\\${part.literal}` : part.literal;
    })
    .join('');
}

/** @param values as text, null for NULL */
export function arrayText(values: readonly (string | null)[]): string {
  let text = '{';
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as string | null;
    if (index > 0) text += ',';
    text += value === null ? 'NULL' : elementText(value);
  }
  return `${text}}`;
}

function elementText(value: string): string {
  const isPlain = !value.includes('"') && !value.includes('\\');
  return `"${isPlain ? value : value.replace(/["\\]/g, '\\$&')}"`;
}
