/**
 * Requests to the peers: all by REST with JSON, each with its own paths, names and types. Their answers are checked
 * once before measuring, because a rule that hides every record, or a filter that is ignored, gives fast answers of
 * status 200.
 */
import { isDeepStrictEqual } from 'node:util';
import { requestWith } from '../../client/messages.ts';
import type { Asks, Space } from '../asks.ts';
import { runRight } from '../load.ts';
import { categoriesOf, categoryOf, type Record, recordOf } from '../workload.ts';

export interface Spelling {
  /** Headers of every request, each with its line end. */
  readonly headers: string;
  /** Further headers of a write. */
  readonly writeHeaders?: () => string;
  /** Path of the items. */
  readonly items: string;
  /** Query string that makes a write return only the id, as the service does. */
  readonly idOnly?: string;
  readonly update: 'PUT' | 'PATCH';
  idOfRow(row: number): string | number;
  /** Query string for the n-th category. */
  page(category: number): string;
  count(category: number): string;
  item(record: Record): object;
  /** Path and body to add several items, all or nothing; by default they are posted as an array. */
  batch?(items: readonly object[]): readonly [path: string, body: object];
  // biome-ignore lint/suspicious/noExplicitAny: the answer to an add, of which each peer knows its own
  idIn(answer: any): string;
}

/** A dummy, because a peer has no data spaces. */
export const noSpace: Space = { spaceId: 0, prefix: '', token: '', tokenOfFew: '' };

export function restAsks(spelling: Spelling): Asks {
  const { headers, items, idOnly = '', update } = spelling;
  const read = (path: string) => requestWith('GET', items + path, headers, '');
  const write = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: object) =>
    requestWith(method, path, headers + (spelling.writeHeaders?.() ?? ''), JSON.stringify(body));
  return {
    get: (_, row) => read(`/${spelling.idOfRow(row)}`),
    page: (_, category) => read(`?${spelling.page(category)}`),
    count: (_, category) => read(`?${spelling.count(category)}`),
    add(_, records) {
      const added = records.map(spelling.item);
      if (added.length === 1) return write('POST', items + idOnly, added[0] as object);
      return write('POST', ...(spelling.batch?.(added) ?? ([items + idOnly, added] as const)));
    },
    update: (_, { objectId }, quantity) => write(update, `${items}/${objectId}${idOnly}`, { quantity }),
    written: (body, before) => before ?? { objectId: spelling.idIn(JSON.parse(body)), lock: '' },
  };
}

/** A record with the types of JSON, and the number of its category. */
export function itemOf(record: Record) {
  const { scopeType: _, objectId: __, category, quantity, views, price, weight, active, soldAt, ...texts } = record;
  return {
    ...(texts as { readonly sku: string; readonly country: string | null }),
    category: Number(category?.replace('category-', '')),
    quantity: Number(quantity),
    views: Number(views),
    price: Number(price),
    weight: Number(weight),
    active: active === 'true',
    soldAt: new Date(String(soldAt)).toISOString(),
  };
}

/** Reads the bodies of its answers. */
export interface Told {
  /** The item's `sku`. */
  get(body: string): unknown;
  /** `sku` of each item, and the label of its category. */
  page(body: string): readonly (readonly [sku: unknown, label: unknown])[];
  count(body: string): unknown;
}

const pageSize = 20;
const row = 7;
const category = 0;

/** @throws Error with the peer's name and its answer */
export async function checkReads(name: string, port: number, asks: Asks, told: Told, rows: number): Promise<void> {
  const numbers = Array.from({ length: rows }, (_, number) => number);
  const ofCategory = numbers.filter((number) => number % categoriesOf(rows) === category);
  const page = ofCategory.slice(0, pageSize).map((number) => [recordOf(number).sku, categoryOf(category).label]);
  const expected = [
    ['get', asks.get(noSpace, row), told.get, recordOf(row).sku],
    ['page', asks.page(noSpace, category), told.page, page],
    ['count', asks.count(noSpace, category), told.count, ofCategory.length],
  ] as const;
  for (const [work, request, read, wanted] of expected) {
    const body = await bodyOf(port, request);
    const answered = read(body);
    if (isDeepStrictEqual(answered, wanted)) continue;
    const came = `${name} answered "${work}" with ${JSON.stringify(answered)}`;
    throw new Error(`${came} where ${JSON.stringify(wanted)} was expected: ${body}`);
  }
}

async function bodyOf(port: number, request: string): Promise<string> {
  let answer = '';
  const answered = (_: number, text: string) => {
    answer = text;
  };
  const once = { connections: 1, warmUpMs: 0, measureMs: 120_000, requestsMax: 1 };
  await runRight({ port, ...once, request: () => request, answered });
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}
