/**
 * SQL that is specific to SQLite, for compiled queries (`query/statement.ts`), for the layout of tables, and for this
 * folder.
 */

import { isWide } from '../../query/check/types.ts';
import { averageDigits } from '../../query/language.ts';
import { patternParts } from '../../query/like.ts';
import type { AggregateSql, BoundValue, Dialect, Stepping } from '../../query/statement.ts';
import type { Folds } from '../../schema/fold.ts';
import type { ColumnType, StoredValue } from '../../schema/model.ts';
import { daysFromYear0 } from '../../schema/time.ts';
import { dayMs } from '../../setting.ts';
import { audienceIndexName, type LayoutDialect } from '../layout.ts';
import { msFromYear0, offsetSql } from '../zone-sql.ts';
import { sqliteTypeOf, wireTextOf } from './column-types.ts';
import { computedOnce } from './computed-once.ts';
import { gatedDeadline, randomDeadline } from './deadline.ts';
import { isUnique } from './failure.ts';
import { exact, magnitude, quotient, rounded } from './numbers.ts';
import { indexTerms, sqliteTerms } from './terms.ts';
import { average, sum, widened, wideText } from './wide.ts';

/**
 * Names that SQLite reserves: its own tables; the row number, which every table has besides its columns; true and
 * false, which cannot be names of a sub-select's columns; the table-valued functions, which a table of the same name
 * would hide from our own SQL.
 */
const reserved = /^(?:sqlite_.*|rowid|oid|_rowid_|true|false|json_each|json_tree|pragma_.*)$/i;

/**
 * The name of a client's table or column in the file: unchanged, unless it is reserved. Internal names begin with `_`.
 */
export function physicalName(name: string): string {
  return reserved.test(name) ? `_n_${name}` : name;
}

/** Up to this text size, any pattern is matched quickly. */
const shortBytes = 2_400;

/** The members as JSON text; it contains each single-member audience in quotes, without any escape. */
function boundMembers(members: readonly string[]): string {
  return JSON.stringify(members);
}

/** Audiences of several members that include one of those bound at the placeholder. */
function sharedAudiences(members: string): string {
  return `SELECT audience FROM _audience_member WHERE member IN (SELECT value FROM json_each(${members}))`;
}

/**
 * SQLite's GLOB reads U+FFFE and U+FFFF as U+FFFD, so a match in a text with one of them has to be verified. @param
 * source the text in any case, since case affects neither its size nor these characters
 */
function shortLike(text: string, pattern: string, source = text): string {
  return `(${text} GLOB ${pattern} AND (${source} NOT GLOB '*\ufffd*' OR long_glob(${pattern}, ${text})))`;
}

function anyLike(text: string, pattern: string, source = text): string {
  return `CASE WHEN octet_length(${source}) > ${shortBytes} THEN long_glob(${pattern}, ${text}) ELSE ${shortLike(text, pattern, source)} END`;
}

function isAscii(text: string): string {
  return `octet_length(${text}) = length(${text})`;
}

/** From this size on, folding takes so long that the row checks the time. */
const longAsciiBytes = 65_536;

function functionOf(folds: Folds): string {
  return `fold_${folds.join('_')}`;
}

/** SQLite's own functions fold ASCII letters only; for ASCII, two folds equal the last one. */
function folded(columnSql: string, folds: Folds, ofOthers: string): string {
  const inTime = `(octet_length(${columnSql}) < ${longAsciiBytes} OR within_deadline_now(0))`;
  return `CASE WHEN ${isAscii(columnSql)} AND ${inTime} THEN ${folds.at(-1)}(${columnSql}) ELSE ${ofOthers} END`;
}

const stepping: Stepping = {
  rowNumber: (alias) => `${alias}.rowid`,
  selectedRowNumber: 'rowid AS rowid',
  computed: (table, rowNumber) => `(SELECT value FROM temp.${table} WHERE id = ${rowNumber})`,
  computedFold: folded,
  needsComputing: (columnSql) => `octet_length(${columnSql}) <> length(${columnSql})`,
};

export const sqliteDialect: Dialect = {
  table: (name) => quotedName(physicalName(name)),
  column: (name) => quotedName(physicalName(name)),
  // `node:sqlite` looks up the name of every numbered placeholder in a list of all, each time values are bound.
  placeholder: (position, isNext = false) => (isNext ? '?' : `?${position}`),
  nullOf: () => 'NULL',
  selected: (columnSql, type) => (sqliteTypeOf(type).isSelectedAsText ? `CAST(${columnSql} AS TEXT)` : columnSql),
  computed: (valueSql, type) => sqliteDialect.selected(valueSql, type),
  // A LIMIT keeps the planner from walking through an index in the order of the groups: it would look up each row in
  // the table, which costs four times as much as sorting the rows. A plus sign before each key would too, but then what
  // is sorted has each key twice.
  rowsToGroup: (rowsSql) => `${rowsSql} LIMIT -1`,
  aggregate: aggregateSql,
  sumOverflows,
  withinGroups: (number, groupsMax, condition) =>
    `CASE WHEN ${number} <= ${groupsMax} THEN ${condition ?? 'TRUE'} ELSE too_many_groups(${groupsMax}) END`,
  bound,
  // A plus sign keeps the planner from using an index for the condition.
  visible: (audience, members, isSought) =>
    `${isSought ? '' : '+'}${audience} IN (SELECT value FROM json_each(${members}) UNION ALL ${sharedAudiences(members)})`,
  // Searching the text costs a third of listing its members in a temporary table; the table pays off from a few rows
  // on.
  visibleRecord: (audience, members) =>
    `(instr(${members}, '"' || ${audience} || '"') > 0 OR ${audience} IN (${sharedAudiences(members)}))`,
  // UNION, because several members may lead to the same audience. The inner name hides the outer one.
  firstOfEach: ({ table, name, members, where, order, rows, walked }) =>
    `(SELECT value AS audience FROM json_each(${members}) UNION ${sharedAudiences(members)}) AS m
     CROSS JOIN ${table} AS ${name} ON ${name}.rowid IN
       (SELECT ${name}.rowid FROM ${table} AS ${name}${walked === null ? '' : ` INDEXED BY "${audienceIndexName(walked.table, walked.index)}"`}
        WHERE ${where} ORDER BY ${order} LIMIT (${rows}))`.replaceAll(/\s+/g, ' '),
  triesWalks: true,
  boundMembers,
  merged: null,
  // Refers to a column of the table, so that it is called for each row and not once per statement. Joins of small
  // tables may produce millions of pairs without any of the selected rows, so one pair in sixteen is chosen at random.
  withinDeadline: (table, isAlone) => (isAlone ? gatedDeadline(`${table}.rowid`) : randomDeadline(`${table}.rowid`)),
  // A column is folded again if needed, because a value computed once is kept until the next row.
  like: (operandSql, pattern, isShort, columnSql) => {
    const matches = isShort ? shortLike : anyLike;
    if (columnSql !== null) return matches(operandSql, pattern, columnSql);
    return computedOnce([operandSql], ([text]) => matches(text!, pattern));
  },
  boundPattern: globOf,
  ...sqliteTerms,
  fold: (columnSql, folds) => folded(columnSql, folds, `${functionOf(folds)}(${columnSql})`),
  computedOnce,
  // An overflow becomes a REAL, and so does everything computed with it, so one check at the end is enough.
  arithmetic: (operator, left, right, result, isOperand) => {
    const sql = `${left} ${operator} ${right}`;
    return isOperand ? `(${sql})` : computedOnce([sql], ([value]) => exact(value!, result));
  },
  quotient,
  rounded,
  magnitude,
  substring: (text, from, count) => `substr(${[text, from, ...(count === null ? [] : [count])].join(', ')})`,
  datePart: (part, instant, zone) =>
    computedOnce([instant], ([ms]) => {
      const day = `((${ms} + ${offsetSql(zone, ms!)} + ${msFromYear0}) / ${dayMs} - ${daysFromYear0})`;
      return `CAST(strftime('%${dateFormats[part]}', ${day} * 86400, 'unixepoch') AS INTEGER)`;
    }),
  json: (column, path, kind) => {
    const value = `json_extract(${column}, ${path})`;
    return kind === 'text'
      ? `CASE WHEN json_type(${column}, ${path}) = 'text' THEN ${value} END`
      : `CASE WHEN json_type(${column}, ${path}) IN ('integer', 'real') THEN CAST(${value} AS REAL) END`;
  },
  stepping,
  // Decimals are stored unscaled, so comparing them requires one scale.
  rescaled: (operandSql, digits, isWide) =>
    isWide ? widened(operandSql, digits) : `(CAST(${operandSql} AS BIGINT) * 1${'0'.repeat(digits)})`,
  listsOnce: true,
  // SQLite joins the tables of a CROSS JOIN, which may have an ON, in their order.
  innerJoin: (inOrder) => (inOrder ? 'CROSS JOIN' : 'INNER JOIN'),
  // With a bare placeholder, the planner would plan the statement again for every new value.
  range: (limit, offset) => `LIMIT (${limit} + 0) OFFSET (${offset} + 0)`,
  sorted: (columnSql, descending) => (descending ? `${columnSql} DESC` : columnSql),
};

export const sqliteLayout: LayoutDialect = {
  ...sqliteDialect,
  columnType: (type) => sqliteTypeOf(type).column,
  tableOptions: ' STRICT',
  indexed: (columnSql) => columnSql,
  // Without these estimates, the planner uses the index for every query, even for a walk in an indexed order by a
  // caller who sees all (650 ms instead of 0.03 ms). With them, it uses the index to count, to sort if no index has the
  // order, and to page by audience. An index with further columns seems to find a few more rows, so that all rows of an
  // audience are read in the order of their ids, which is about that of the table (groups of 1 000 000 rows: 0.5 s
  // instead of 2.4 s).
  estimates: (table, index, columns) => {
    const rows = ['1000000', columns > 2 ? '31000' : '30000', ...Array.from({ length: columns - 2 }, () => '300'), '1'];
    return `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${physicalName(table)}', '${index}', '${rows.join(' ')}')`;
  },
  isUnique,
  // Dropping a column rewrites every record.
  scans: { fill: 15, convert: 45, createIndex: 15, dropColumn: 15 },
  wireText: (type, zone) => wireTextOf(type, zone) as (raw: unknown) => string,
  indexTerms: (table, index, column) =>
    indexTerms(quotedName(physicalName(table)), index, quotedName(physicalName(column))),
  unindexTerms: (index) => [`DROP TABLE ${quotedName(index)}`],
  isNotNull: (table, column) =>
    `SELECT 1 FROM pragma_table_info('${physicalName(table)}') WHERE name = '${physicalName(column)}' AND "notnull" = 1`,
};

function aggregateSql(...[name, distinct, operand, type, isWide]: Parameters<Dialect['aggregate']>): AggregateSql {
  if (operand === null || type === null) return plain('count(*)');
  const inHalves = isWide && sumOverflows(type);
  switch (name) {
    case 'SUM':
      return sum(operand, inHalves);
    case 'AVG':
      return average(operand, inHalves, averageDigits);
    case 'COUNT':
      return plain(`count(${distinct ? 'DISTINCT ' : ''}${operand})`);
    case 'MIN':
    case 'MAX':
      return plain(`${name}(${operand})`);
  }
}

/** So many digits are below 2^32, and so many of those fit in 64 bits. */
function sumOverflows(type: ColumnType): boolean {
  return type.kind !== 'integer' && !(type.kind === 'decimal' && type.precision <= 9);
}

function plain(sql: string): AggregateSql {
  return { parts: [sql], value: ([column]) => column as string };
}
const dateFormats = { year: 'Y', month: 'm', day: 'd' } as const;

/** Binds whole numbers as bigint: `node:sqlite` binds every number as REAL. */
function bound(value: StoredValue, type: ColumnType): BoundValue {
  if (typeof value === 'bigint' && isWide(type)) return wideText(value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number' && sqliteTypeOf(type).column === 'INTEGER') return BigInt(value);
  return value;
}

/** GLOB is case-sensitive and can use an index; LIKE is not and cannot. GLOB's brackets replace an escape. */
function globOf(pattern: string, escapedBy: string | null): string {
  const parts = patternParts(pattern, escapedBy) ?? [];
  return parts
    .map((part) => {
      if ('wildcard' in part) return part.wildcard === '%' ? '*' : '?';
      return part.literal === '*' || part.literal === '?' || part.literal === '[' ? `[${part.literal}]` : part.literal;
    })
    .join('');
}

function quotedName(name: string): string {
  return `"${name}"`;
}
