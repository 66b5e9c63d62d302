/** The older query over HTTP, which finds the same as the equivalent expression (docs/reference/older-query.md). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, assertNothingForeign, statusOfCode } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, type Row, select, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { olderQueries, refusedOlder, sameSearches } from './older.cases.ts';
import { itemRows, itemTable, kindRows, kindTable } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  await defineTables(world, 'alice', [itemTable, kindTable, { ...kindTable, name: 'Many' }]);
  const open = (rows: readonly object[]) => rows.map((row) => ({ ...row, scopeType: '3' }));
  await addRecords(world, 'alice', 'Item', open(itemRows));
  await addRecords(world, 'alice', 'Kind', open(kindRows));
  await addRecords(
    world,
    'bob',
    'Item',
    itemRows.map((row) => ({ ...row, objectId: `bob-${row.objectId}`, scopeType: '1' })),
  );
  world.secrets.push({ text: 'bob-', what: "a record of bob's", known: ['bob'] });
});
after(() => world.close());

const ids = (text: string) => (text === '' ? [] : text.split(' ').map((id) => (id === '-' ? null : id)));
const older = (body: unknown) => send(world, 'alice', 'POST', 'data/query', body as object);

describe('search types, and the expression that means the same', () => {
  for (const { condition, source, params, ids: expected } of sameSearches) {
    test(`${condition.columnName}: type ${JSON.stringify(condition.type)}, ${JSON.stringify(condition.conditionValue)}, ${condition.isIgnoreCase}`, async () => {
      const answer = await older({
        objectNames: ['Item'],
        returnedObjectNames: ['Item'],
        condition: { whereConditions: [{ type: 'AND', searchConditions: [condition] }] },
      });
      assertEnvelope(answer, 0);
      assertNothingForeign(world, 'alice', answer);
      const records = valueAt(answer.json, 'results.0.Item') as Row[];
      assert.deepEqual(
        records.map((record) => record.objectId),
        ids(expected),
      );
      const body = { from: { phyName: 'Item', alias: 't' }, where: { expression: { source, params } } };
      assert.deepEqual((await select(world, 'alice', body)).t, records, 'Both forms answer the same records.');
      assert.equal(valueAt(answer.json, 'counter'), await countOf(world, 'alice', body));
    });
  }
});

describe('whole queries', () => {
  for (const { name, body, results, counter, pageIndex, totalPage } of olderQueries) {
    test(name, async () => {
      const answer = await older(body);
      assertEnvelope(answer, 0);
      assertNothingForeign(world, 'alice', answer);
      const got = valueAt(answer.json, 'results') as Record<string, Row[]>[];
      assert.deepEqual(
        got.map((element) => Object.keys(element)),
        results.map((element) => Object.keys(element)),
      );
      for (const [index, element] of results.entries()) {
        for (const [table, expected] of Object.entries(element)) {
          assert.deepEqual(
            got[index]?.[table]?.map((record) => record.objectId),
            ids(expected),
            table,
          );
        }
      }
      assert.strictEqual(valueAt(answer.json, 'counter'), counter);
      if (pageIndex !== undefined) assert.strictEqual(valueAt(answer.json, 'pageIndex'), pageIndex);
      if (totalPage !== undefined) assert.strictEqual(valueAt(answer.json, 'totalPage'), totalPage);
    });
  }

  test('the answer has the envelope, results, counter, pageIndex and totalPage, and nothing else', async () => {
    const answer = await older({ objectNames: ['Item'], returnedObjectNames: ['Item'] });
    assert.deepEqual(Object.keys(answer.json as object).sort(), [
      'counter',
      'description',
      'errCode',
      'pageIndex',
      'results',
      'status',
      'totalPage',
    ]);
  });

  test('maxRecord is 1000 unless sent, and 10000 at most', async () => {
    for (let batch = 0; batch < 2; batch++) {
      await addRecords(
        world,
        'alice',
        'Many',
        Array.from({ length: 600 }, (_, index) => ({
          objectId: `m${batch}-${String(index).padStart(4, '0')}`,
          rank: String(index),
        })),
      );
    }
    const page = async (more: object) =>
      (await older({ objectNames: 'Many', returnedObjectNames: ['Many'], ...more })).json;
    const first = await page({});
    assert.equal((valueAt(first, 'results.0.Many') as Row[]).length, 1_000);
    assert.equal(valueAt(first, 'counter'), 1_200);
    assert.equal(valueAt(first, 'totalPage'), 2);
    const second = await page({ pageIndex: 2 });
    assert.equal((valueAt(second, 'results.0.Many') as Row[]).length, 200);
    assert.equal((valueAt(await page({ maxRecord: 10_000 }), 'results.0.Many') as Row[]).length, 1_200);
    const all = [first, second]
      .flatMap((json) => valueAt(json, 'results.0.Many') as Row[])
      .map((record) => record.objectId);
    assert.equal(new Set(all).size, 1_200);
  });
});

describe('refused', () => {
  for (const { name, body, code, has } of refusedOlder) {
    test(name, async () => {
      const answer = await older(body);
      assertEnvelope(answer, code);
      assert.equal(answer.status, statusOfCode[code]);
      assertNothingForeign(world, 'alice', answer);
      if (has !== undefined) assert.match(String(valueAt(answer.json, 'description')), has);
    });
  }
});
