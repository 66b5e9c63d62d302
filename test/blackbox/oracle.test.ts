/** Random queries over HTTP find exactly what an independent implementation finds (oracle.ts). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { addRecords, countOf, defineTables, idsOf, type QueryBody, select } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { answerByHand, type FuzzQuery, query } from './oracle.ts';
import type { Condition, FuzzRow } from './random-conditions.ts';

const table = {
  name: 'Fuzz',
  primary_key: 'objectId',
  columns: [
    { colName: 'a', type: 'integer' },
    { colName: 'b', type: 'integer' },
    { colName: 'x', type: 'long' },
    { colName: 's', type: 'varchar', fieldLength: 20 },
    { colName: 'u', type: 'text' },
  ],
  indexes: [
    { columns: ['a'], unique: false },
    { columns: ['s', 'b'], unique: false },
  ],
};

const max = 2n ** 63n - 1n;
const row = (
  objectId: string,
  a: number | null,
  b: number | null,
  x: bigint | null,
  s: string | null,
  u: string | null,
): FuzzRow => ({
  objectId,
  a: a === null ? null : BigInt(a),
  b: b === null ? null : BigInt(b),
  x,
  s,
  u,
});

const rows: readonly FuzzRow[] = [
  row('f01', 1, 1, 1n, 'a', 'A'),
  row('f02', 1, 2, max, 'A', 'a'),
  row('f03', 2, 1, -max - 1n, 'ab', 'aB'),
  row('f04', 2, null, 0n, 'ä', 'Ä'),
  row('f05', null, 2, null, null, 'b'),
  row('f06', 3, 3, 3n, '', ''),
  row('f07', -1, 0, -1n, '%', '_'),
  row('f08', 2147483647, -2147483648, 10n, '*', '[a]'),
  row('f09', 0, 0, 0n, ' a ', "it's"),
  row('f10', 5, 2, 2n, '😀', '\uffee'),
  row('f11', null, null, null, null, null),
  row('f12', 2, 3, 7n, 'a%', '?'),
  row('f13', 12, 1, 5n, 'zz', 'ab'),
];

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  await defineTables(world, 'alice', [table]);
  const sent = (each: FuzzRow) => ({
    ...each,
    a: each.a?.toString() ?? null,
    b: each.b?.toString() ?? null,
    x: each.x?.toString() ?? null,
  });
  await addRecords(
    world,
    'alice',
    'Fuzz',
    rows.map((each, index) => ({ ...sent(each), scopeType: String((index % 3) + 1) })),
  );
  // Rows that alice never sees, and that match the same conditions as hers.
  await addRecords(
    world,
    'bob',
    'Fuzz',
    rows.map((each) => ({ ...sent(each), objectId: `bob-${each.objectId}`, scopeType: '1' })),
  );
});
after(() => world.close());

function bodyOf({ joins, where, orderBy, range }: FuzzQuery): QueryBody {
  const expression = ({ source, params }: Condition) => ({ source, params });
  return {
    from: { phyName: 'Fuzz', alias: 'p' },
    join: joins.map(({ kind, alias, on }) => ({
      type: kind,
      entity: 'Fuzz',
      entityAlias: alias,
      expression: expression(on),
    })),
    ...(where === null ? {} : { where: { expression: expression(where) } }),
    orderBy: orderBy.map(({ alias, column, descending }) => ({
      column: `#${alias}.${column}`,
      type: descending ? 'DESC' : 'ASC',
    })),
    ...(range === null ? {} : { range: { offset: String(range.offset), limit: String(range.limit) } }),
  };
}

async function agrees(wanted: FuzzQuery): Promise<void> {
  const body = bodyOf(wanted);
  const expected = answerByHand(wanted, rows);
  const arrays = await select(world, 'alice', body);
  const ids = Object.fromEntries(Object.keys(expected.ids).map((alias) => [alias, idsOf(arrays, alias)]));
  assert.deepEqual(ids, expected.ids, JSON.stringify(body));
  assert.equal(await countOf(world, 'alice', body), expected.count, JSON.stringify(body));
}

test('conditions, order and ranges on one table', async () => {
  await fc.assert(fc.asyncProperty(query(0), agrees), { numRuns: 500 });
});

test('joins of up to three tables', async () => {
  await fc.assert(fc.asyncProperty(query(2), agrees), { numRuns: 300 });
});
