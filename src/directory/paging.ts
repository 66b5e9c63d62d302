/**
 * Pages of a list: a part of it, filtered, searched and sorted by the database. Used by every list that administrators
 * see. Each list names its permitted fields, so that no client text reaches SQL as a name.
 */
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Settings } from '../config.ts';
import { malformed, quoted } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import { isWellFormed, refuseUnstorable } from '../text.ts';
import { folded, hasFolded } from './folded-text.ts';

export interface PageRequest {
  /** Rows to skip; 0 when absent. */
  readonly offset?: number;
  /** 50 when absent; setting `listLimitMax` at most. */
  readonly limit?: number;
  /** A field, with `-` in front for descending order; the key when absent. */
  readonly sort?: string;
  /** Field → required value. */
  readonly filter?: Readonly<Record<string, string>>;
  /** Found in one of the searchable fields, ignoring the case of A to Z. */
  readonly search?: string;
}

export interface Page<Row> {
  readonly results: Row[];
  /** All matching rows, not only this page's. */
  readonly count: number;
}

export interface PageField {
  /** Its column, with the table where a query joins several: `user.account`. */
  readonly column: string;
  /** Text is sorted ignoring the case of A to Z; a flag is filtered by true and false. */
  readonly kind: 'text' | 'whole' | 'flag';
  /** Part of the key that identifies a row: the default order of lists, and the tie-breaker. */
  readonly key?: boolean;
  readonly nullable?: boolean;
  readonly sortable?: boolean;
  readonly filterable?: boolean;
  /** Of text only. */
  readonly searchable?: boolean;
}

export type PageLimits = Pick<Settings, 'listLimitMax'>;

export type PageFields = Readonly<Record<string, PageField>>;

const limitDefault = 50;
const searchLengthMax = 200;

/**
 * @param query without an order, limit or grouping of its own
 * @throws ServiceError `malformed` for a number out of bounds, and for an unknown field (the error lists the known
 * ones)
 */
export async function page<Tables, From extends keyof Tables, Row>(
  db: Pick<Relational<Tables>, 'read'>,
  query: SelectQueryBuilder<Tables, From, Row>,
  fields: PageFields,
  request: PageRequest,
  settings: PageLimits,
): Promise<Page<Row>> {
  const { offset, limit } = rangeOf(request, settings);
  const matching = matchingOf(query, fields, request);
  let sorted = matching.limit(limit).offset(offset);
  for (const term of orderOf(fields, request.sort)) sorted = sorted.orderBy(term);

  const results = await db.read(sorted);
  // The last page gives the count, unless the offset is past the end.
  if (results.length < limit && (results.length > 0 || offset === 0))
    return { results, count: offset + results.length };
  const counting = matching.clearSelect().select(sql<number>`count(*)`.as('count'));
  const [counted] = await db.read(counting.$castTo<{ readonly count: number }>());
  return { results, count: Number(counted?.count) };
}

/** The requested range. @throws ServiceError `malformed` for a number out of bounds */
export function rangeOf(
  request: Pick<PageRequest, 'offset' | 'limit'>,
  settings: PageLimits,
): { readonly offset: number; readonly limit: number } {
  const { listLimitMax } = settings;
  return {
    offset: whole('offset', request.offset ?? 0, 0, Number.MAX_SAFE_INTEGER),
    limit: whole('limit', request.limit ?? Math.min(limitDefault, listLimitMax), 1, listLimitMax),
  };
}

/** The query with the request's filters and search. @throws ServiceError as `page` */
export function matchingOf<Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  fields: PageFields,
  request: Pick<PageRequest, 'filter' | 'search'>,
): SelectQueryBuilder<Tables, From, Row> {
  let matching = query;
  for (const condition of conditionsOf(fields, request)) matching = matching.where(condition);
  return matching;
}

function orderOf(fields: PageFields, sort: string | undefined) {
  const descending = sort?.startsWith('-') ?? false;
  const wanted = sort === undefined ? [] : [fieldOf(fields, 'sort', descending ? sort.slice(1) : sort, 'sortable')];
  const keys = Object.values(fields).filter((field) => field.key === true && !wanted.includes(field));
  // Ties follow the same direction, so descending order is the exact reverse.
  const direction = sql.raw(descending ? 'desc' : 'asc');
  return [...wanted, ...keys].map(({ column, kind, key, nullable }) => {
    const value = kind === 'text' && key !== true ? folded(column) : sql.ref(column);
    // The engines differ in where they sort nulls by default.
    const nulls = nullable === true ? sql.raw(descending ? ' nulls last' : ' nulls first') : sql.raw('');
    return sql`${value} ${direction}${nulls}`;
  });
}

function conditionsOf(fields: PageFields, { filter = {}, search = '' }: Pick<PageRequest, 'filter' | 'search'>) {
  const conditions = Object.entries(filter).map(([name, text]) => {
    const field = fieldOf(fields, 'filter', name, 'filterable');
    return sql<SqlBool>`${sql.ref(field.column)} = ${filterValue(name, field, text)}`;
  });
  if (search === '') return conditions;
  if (search.length > searchLengthMax || !isWellFormed(search)) {
    throw malformed('search', `expected at most ${searchLengthMax} characters of text, got ${quoted(search)}.`);
  }
  const searchable = Object.values(fields).filter((field) => field.searchable === true);
  if (searchable.length === 0) throw malformed('search', 'this list cannot be searched; filter it.');
  const found = searchable.map(({ column }) => hasFolded(column, search));
  return [...conditions, sql<SqlBool>`(${sql.join(found, sql` or `)})`];
}

function fieldOf(fields: PageFields, asked: 'sort' | 'filter', name: string, right: 'sortable' | 'filterable') {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field?.[right] === true) return field;
  const there = Object.keys(fields).filter((each) => fields[each]?.[right] === true);
  throw malformed(asked, `expected one of ${there.join(', ')}, got ${quoted(name)}.`);
}

function filterValue(name: string, { kind }: PageField, text: string): string | number {
  switch (kind) {
    case 'text':
      refuseUnstorable(name, text);
      return text;
    case 'whole':
      if (/^-?\d{1,15}$/.test(text)) return Number(text);
      throw malformed(name, `expected a whole number, got ${quoted(text)}.`);
    case 'flag':
      if (text === 'true' || text === '1') return 1;
      if (text === 'false' || text === '0') return 0;
      throw malformed(name, `expected true or false, got ${quoted(text)}.`);
  }
}

function whole(field: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const setting = field === 'limit' ? ' (setting listLimitMax)' : '';
  throw malformed(field, `expected a whole number from ${min} to ${max}${setting}, got ${quoted(value)}.`);
}
