/**
 * Faults of the dialects that the comparison of engines must find. Each changes what one method of a dialect writes or
 * binds, as a mistake in it would.
 */
import type { Dialect } from '../../src/query/statement.ts';
import type { ColumnType } from '../../src/schema/model.ts';
import { zoneOf } from '../../src/schema/time.ts';
import { postgresDialect } from '../../src/storage/postgres/dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import type { Engine } from '../machine/scratch.ts';

/** The methods that write SQL or bind values. */
export type Method = {
  [Name in keyof Dialect]: Dialect[Name] extends (...args: never) => unknown ? Name : never;
}[keyof Dialect];

export interface Fault {
  readonly engine: Engine;
  /** What is wrong, in words. */
  readonly what: string;
  readonly method: Method;
  /** The faulty method. */
  readonly wrong: (...args: readonly unknown[]) => unknown;
}

const utc = zoneOf('UTC');

/** The dialects as they are without any fault. */
const right = { sqlite: { ...sqliteDialect }, postgres: { ...postgresDialect } };

type Result<Name extends Method> = ReturnType<Dialect[Name]>;

/** @param write makes the faulty result from the right one and the arguments */
function fault<Name extends Method>(
  engine: Engine,
  what: string,
  method: Name,
  write: (result: Result<Name>, ...args: Parameters<Dialect[Name]>) => Result<Name>,
): Fault {
  const real = right[engine][method] as (...args: readonly unknown[]) => Result<Name>;
  const wrong = (...args: readonly unknown[]) => write(real(...args), ...(args as Parameters<Dialect[Name]>));
  return { engine, what, method, wrong };
}

/** A fault that replaces every occurrence of a piece of SQL. */
const replaced =
  (piece: string | RegExp, by: string) =>
  (sql: string): string =>
    sql.replaceAll(piece, by);

/** A fault in a bound value, if it is text. */
const inText =
  (change: (text: string) => string) =>
  <Bound>(bound: Bound): Bound =>
    typeof bound === 'string' ? (change(bound) as Bound) : bound;

const isText = ({ kind }: ColumnType) => kind === 'text' || kind === 'varchar';

/** A fault in the value of an average. */
const ofAverage = (change: (sql: string) => string) => (result: Result<'aggregate'>, name: string) =>
  name === 'AVG' ? { ...result, value: (columns: readonly string[]) => change(result.value(columns)) } : result;

/** Faults that either engine could have. */
function onBoth(engine: Engine): readonly Fault[] {
  const own = right[engine];
  const isSqlite = engine === 'sqlite';
  const withoutNulls = replaced(/ NULLS (FIRST|LAST)$/g, '');
  const on = <Name extends Method>(
    what: string,
    method: Name,
    write: (result: Result<Name>, ...args: Parameters<Dialect[Name]>) => Result<Name>,
  ) => fault(engine, what, method, write);
  return [
    on('nulls are first in descending order', 'sorted', (sql, _column, descending, isNeverNull) =>
      descending && !isNeverNull ? `${withoutNulls(sql)} NULLS FIRST` : sql,
    ),
    on('nulls are last in ascending order', 'sorted', (sql, _column, descending, isNeverNull) =>
      descending || isNeverNull ? sql : `${withoutNulls(sql)} NULLS LAST`,
    ),
    on('the last key of the order always ascends', 'sorted', (sql, _column, _descending, isNeverNull) =>
      isNeverNull ? sql.replace(/ DESC$/, '') : sql,
    ),
    on('LIKE ignores case', 'like', (_sql, text, pattern) =>
      isSqlite ? `lower(${text}) GLOB lower(${pattern})` : `${text} ILIKE ${pattern}`,
    ),
    on('only ASCII letters are folded', 'fold', (_sql, column, folds) =>
      folds.reduce((sql, fold) => `${fold}(${sql}${isSqlite ? '' : ' COLLATE "C"'})`, column),
    ),
    on('only the first of two folds is applied', 'fold', (_sql, column, folds) => own.fold(column, folds.slice(0, 1))),
    on('a computed decimal may have more than 18 digits', 'arithmetic', (sql, operator, left, other, { kind }) => {
      const type = isSqlite ? '' : '::numeric';
      return kind === 'decimal' ? `(${left}${type} ${operator} ${other}${type})` : sql;
    }),
    on('an overflow of whole numbers is not null', 'arithmetic', (sql, operator, left, other, { kind }) =>
      kind === 'decimal' ? sql : `(${left} ${operator} ${other})`,
    ),
    on('ABS of the lowest long is not null', 'magnitude', (_sql, operand) => `abs(${operand})`),
    on('JSON_TEXT gives values of other types', 'json', (sql, _column, _path, kind) =>
      kind === 'text' ? sql.replace(/CASE WHEN json\w*type.*? = '(text|string)'/, 'CASE WHEN TRUE') : sql,
    ),
    on('audiences of several members are ignored', 'visible', replaced(/ member (=|IN)/g, " member || 'x' $1")),
    on('a record of several audiences appears twice', 'firstOfEach', replaced('UNION SELECT', 'UNION ALL SELECT')),
    on('the rows before the offset are missing', 'firstOfEach', (_sql, page) =>
      own.firstOfEach({ ...page, rows: page.rows.split(' + ')[0] as string }),
    ),
    on('COUNT(DISTINCT) counts all values', 'aggregate', (result) => ({
      ...result,
      parts: result.parts.map((part) => part.replace('DISTINCT ', '')),
    })),
    on('MIN is MAX', 'aggregate', (result, name, ...rest) => (name === 'MIN' ? own.aggregate('MAX', ...rest) : result)),
    on('MATCH treats every word as a prefix', 'boundTerms', (_bound, terms) =>
      own.boundTerms(terms.map((term) => ({ ...term, isPrefix: true }))),
    ),
    on('MATCH treats every prefix as a whole word', 'boundTerms', (_bound, terms) =>
      own.boundTerms(terms.map((term) => ({ ...term, isPrefix: false }))),
    ),
    on('MATCH ignores all words but the first', 'boundTerms', (_bound, terms) => own.boundTerms(terms.slice(0, 1))),
    on('MATCH of null is false', 'hasTerms', (sql) => `COALESCE(${sql}, FALSE)`),
    on('days begin at midnight in UTC', 'datePart', (_sql, part, instant) => own.datePart(part, instant, utc)),
    on(
      'the day is rounded towards zero before 1970',
      'datePart',
      replaced(/ \+ \d{10,}\) \/ 86400000 - \d+/g, ') / 86400000'),
    ),
    on('an empty text is bound as null', 'bound', (bound) => (bound === '' ? null : bound)),
    on('a text is bound in its normal form', 'bound', (bound, _value, type) =>
      isText(type) ? inText((text) => text.normalize('NFC'))(bound) : bound,
    ),
    on('a long is bound with 53 bits', 'bound', (bound, _value, { kind }) => {
      if (kind !== 'long' || bound === null) return bound;
      const rounded = BigInt.asIntN(64, BigInt(Number(bound)));
      return typeof bound === 'bigint' ? rounded : String(rounded);
    }),
  ];
}

const postgres = <Name extends Method>(
  what: string,
  method: Name,
  write: (result: Result<Name>, ...args: Parameters<Dialect[Name]>) => Result<Name>,
) => fault('postgres', what, method, write);

const ofPostgres: readonly Fault[] = [
  postgres('a text parameter compares in the order of a language', 'placeholder', replaced('"C"', '"und-x-icu"')),
  postgres('a text parameter loses the blanks at its end', 'placeholder', (sql, _position, _isNext, kind) =>
    kind !== 'pattern' && sql.includes('COLLATE') ? `rtrim(${sql}, ' ')` : sql,
  ),
  postgres('JSON_TEXT compares in the order of the database', 'json', replaced(' COLLATE "C"', '')),
  postgres('case is folded by the rules of ICU', 'fold', (_sql, column, folds) =>
    folds.reduce((sql, fold) => `(${fold}((${sql}) COLLATE "und-x-icu") COLLATE "C")`, column),
  ),
  postgres('a backslash escapes in LIKE', 'boundPattern', inText(replaced('\\\\', '\\'))),
  postgres('an escaped wildcard is still one', 'boundPattern', inText(replaced(/\\([%_])/g, '$1'))),
  postgres('a quotient is truncated', 'quotient', replaced(/>= abs\((.*?)\) THEN/g, '>= 3 * abs($1) THEN')),
  postgres('half is rounded towards zero in a quotient', 'quotient', replaced('>= abs(', '> abs(')),
  postgres('a quotient is computed as numeric', 'quotient', (_sql, left, other, _operands, result) => {
    const divisor = `nullif((${other})::numeric, 0)`;
    return `round((${left})::numeric / ${divisor}, ${result.kind === 'decimal' ? result.scale : 0})`;
  }),
  postgres('ROUND rounds half to the even number', 'rounded', (sql, operand, from, to) =>
    from.kind === 'decimal' && to.kind === 'decimal' && to.scale === 0 ? `round((${operand})::float8)::numeric` : sql,
  ),
  postgres('ROUND truncates', 'rounded', replaced(/^round/g, 'trunc')),
  postgres('SUBSTR fails for large bounds', 'substring', replaced(/least\((.*?), 2147483647\)/g, '($1)')),
  postgres('a path in json looks into arrays', 'json', replaced("'strict '", "'lax '")),
  postgres('JSON_NUMBER has only 24 bits', 'json', replaced('double precision', 'real')),
  postgres('an average is truncated', 'aggregate', ofAverage(replaced(/\* 2(0+) \+ .*?, 2/g, '* 2$1, 2'))),
  postgres(
    'a negative average is rounded towards zero',
    'aggregate',
    ofAverage(replaced(/^(sign\((.*?)\) \* div\(.* \+) (g\.\w+)/g, '$1 CASE WHEN $2 > 0 THEN $3 ELSE 0 END')),
  ),
  postgres('MIN and MAX of bool are swapped', 'aggregate', (result) => ({
    ...result,
    parts: result.parts.map((part) => part.replace(/bool_(and|or)/, (_, one) => `bool_${one === 'or' ? 'and' : 'or'}`)),
  })),
  postgres('a datetime is bound without milliseconds', 'bound', (bound, _value, { kind }) =>
    kind === 'datetime' ? inText((text) => `${text.slice(0, 19)}Z`)(bound) : bound,
  ),
  postgres('a double is bound with 15 digits', 'bound', (bound, _value, { kind }) =>
    kind === 'double' ? inText((text) => Number(text).toPrecision(15))(bound) : bound,
  ),
  postgres('a computed decimal has as many digits as its operand', 'computed', (_sql, value) => value),
];

const sqlite = <Name extends Method>(
  what: string,
  method: Name,
  write: (result: Result<Name>, ...args: Parameters<Dialect[Name]>) => Result<Name>,
) => fault('sqlite', what, method, write);

const ofSqlite: readonly Fault[] = [
  sqlite('LIKE takes U+FFFF for U+FFFD', 'like', replaced("NOT GLOB '*\ufffd*'", "NOT GLOB '*\ufffd\ufffd\ufffd*'")),
  sqlite('a star in LIKE stands for any text', 'boundPattern', inText(replaced('[*]', '*'))),
  sqlite('a question mark in LIKE stands for a character', 'boundPattern', inText(replaced('[?]', '?'))),
  sqlite('a bracket in LIKE begins a set', 'boundPattern', inText(replaced('[[]', '['))),
  sqlite('a quotient is truncated', 'quotient', replaced('THEN 1 ELSE -1 END', 'THEN 0 ELSE 0 END')),
  sqlite('half is rounded towards zero in a quotient', 'quotient', replaced(/(CASE WHEN CASE .*? END) > /g, '$1 >= ')),
  sqlite('ROUND rounds half up', 'rounded', replaced('<= -', '< -')),
  sqlite('numbers of different scales are compared as stored', 'rescaled', (_sql, operand) => operand),
  sqlite('a number is rescaled by one digit too few', 'rescaled', (sql, _operand, _digits, isWide) =>
    isWide ? sql : sql.replace(/0\)$/, ')'),
  ),
  sqlite('a sum that overflows fails', 'aggregate', (_result, name, distinct, operand, type) =>
    right.sqlite.aggregate(name, distinct, operand, type, false),
  ),
  sqlite('an average is truncated', 'aggregate', ofAverage(replaced('rest > n OR (rest = n AND u >= 0)', 'FALSE'))),
  sqlite('a long is read with 53 bits', 'selected', (sql, column, { kind }) =>
    kind === 'long' ? `CAST(CAST(${column} AS REAL) AS INTEGER)` : sql,
  ),
  sqlite('an inner join keeps rows without a match', 'innerJoin', () => 'LEFT JOIN'),
];

/** Changes of the SQL that have no effect, so that no query may find them. */
export const harmless: readonly Fault[] = [
  postgres('a quotient is in parentheses', 'quotient', (sql) => `(${sql})`),
  sqlite('a quotient is in parentheses', 'quotient', (sql) => `(${sql})`),
];

export const faults: readonly Fault[] = [...onBoth('postgres'), ...ofPostgres, ...onBoth('sqlite'), ...ofSqlite];
