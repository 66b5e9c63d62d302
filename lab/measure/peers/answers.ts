/**
 * Whether a peer answers what it is asked for, looked at once before it is measured: a rule that hides every record, or a
 * filter that is not understood, makes quick answers of status 200.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Asks, Space } from '../asks.ts';
import { runRight } from '../load.ts';
import { categoriesOf, categoryOf, recordOf } from '../workload.ts';

/** What the bodies of its answers say. */
export interface Told {
  /** The item's `sku`. */
  get(body: string): unknown;
  /** Of each item `sku`, and the label of its category. */
  page(body: string): readonly (readonly [sku: unknown, label: unknown])[];
  count(body: string): unknown;
}

/** A peer has no data spaces. */
export const noSpace: Space = { spaceId: 0, prefix: '', token: '', tokenOfFew: '' };

const pageSize = 20;
const row = 7;
const category = 0;

/** @throws Error that names the peer and what it answered */
export async function checkReads(name: string, port: number, asks: Asks, told: Told, rows: number): Promise<void> {
  const ofCategory = Array.from({ length: rows }, (_, number) => number).filter(
    (number) => number % categoriesOf(rows) === category,
  );
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
    throw new Error(
      `${name} answered "${work}" with ${JSON.stringify(answered)} where ${JSON.stringify(wanted)} was expected: ${body}`,
    );
  }
}

async function bodyOf(port: number, request: string): Promise<string> {
  let answer = '';
  await runRight({
    port,
    connections: 1,
    warmUpMs: 0,
    measureMs: 120_000,
    requestsMax: 1,
    request: () => request,
    answered: (_, text) => {
      answer = text;
    },
  });
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}
