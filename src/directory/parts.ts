/**
 * Reads append-only tables, such as log entries, in parts by id. There may be millions of rows, and no index covers the
 * filters: one scan of them all would hold up every other request.
 */
import { setImmediate } from 'node:timers/promises';
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { malformed, quoted } from '../errors.ts';
import type { Relational } from '../storage/contract.ts';
import { type Page, type PageLimits, type PageRequest, rangeOf } from './paging.ts';

export interface GrowingTable<Tables, From extends keyof Tables, Row extends { readonly id: number }> {
  readonly db: Pick<Relational<Tables>, 'read'>;
  /** The ids to scan, from an index in id order. */
  readonly ids: SelectQueryBuilder<Tables, From, { id: number }>;
  /** Selects the rows to return, with columns and filters; each scan narrows it to a range of ids. */
  readonly matching: SelectQueryBuilder<Tables, From, Row>;
}

/** Rows scanned at a time. */
const partRows = 5_000;

/** Newest first, or oldest first (`sort: id`). @throws ServiceError `malformed` as `page` */
export async function pageOfParts<Tables, From extends keyof Tables, Row extends { readonly id: number }>(
  table: GrowingTable<Tables, From, Row>,
  request: Pick<PageRequest, 'offset' | 'limit' | 'sort'>,
  settings: PageLimits,
): Promise<Page<Row>> {
  const { db, matching } = table;
  const { offset, limit } = rangeOf(request, settings);
  const direction = directionOf(request.sort);
  const results: Row[] = [];
  let count = 0;
  for await (const [after, last] of parts(table, direction)) {
    const inside = matching.where(between(after, last));
    const counting = inside.clearSelect().select(sql<number>`count(*)`.as('count'));
    const [counted] = await db.read(counting.$castTo<{ readonly count: number }>());
    const found = Number(counted?.count);
    const skipped = Math.max(0, offset - count);
    const wanted = Math.min(limit - results.length, found - skipped);
    if (wanted > 0) {
      const order = sql`id ${sql.raw(direction)}`;
      results.push(...(await db.read(inside.orderBy(order).limit(wanted).offset(skipped))));
    }
    count += found;
  }
  return { results, count };
}

/**
 * Every matching row, oldest first, up to the newest one at the time of the call.
 * @param atOnce rows held in memory at a time
 */
export async function* rowsOfParts<Tables, From extends keyof Tables, Row extends { readonly id: number }>(
  table: GrowingTable<Tables, From, Row>,
  atOnce: number,
): AsyncGenerator<Row, void, undefined> {
  const { db, matching } = table;
  for await (const [start, last] of parts(table, 'asc')) {
    for (let after = start; after < last; ) {
      const rows = await db.read(matching.where(between(after, last)).orderBy(sql`id`).limit(atOnce));
      yield* rows;
      after = rows.length < atOnce ? last : (rows.at(-1)?.id ?? last);
    }
  }
}

/** Pairs of ids: exclusive start, inclusive end. */
async function* parts<Tables, From extends keyof Tables, Row extends { readonly id: number }>(
  { db, ids }: GrowingTable<Tables, From, Row>,
  direction: 'asc' | 'desc',
): AsyncGenerator<readonly [after: number, last: number], void, undefined> {
  const [newest] = await db.read(ids.orderBy(sql`id desc`).limit(1));
  let [after, last] = [0, newest?.id ?? 0];
  for (;;) {
    const rest = ids.where(between(after, last));
    const order = sql`id ${sql.raw(direction)}`;
    const [edge] = await db.read(
      rest
        .orderBy(order)
        .limit(1)
        .offset(partRows - 1),
    );
    if (edge === undefined) {
      yield [after, last];
      return;
    }
    yield direction === 'asc' ? [after, edge.id] : [edge.id - 1, last];
    if (direction === 'asc') after = edge.id;
    else last = edge.id - 1;
    // Lets other events have their turn.
    await setImmediate();
  }
}

function between(after: number, last: number) {
  return sql<SqlBool>`id > ${after} and id <= ${last}`;
}

function directionOf(sort = '-id'): 'asc' | 'desc' {
  if (sort === 'id') return 'asc';
  if (sort === '-id') return 'desc';
  throw malformed('sort', `expected one of id, -id, got ${quoted(sort)}.`);
}
