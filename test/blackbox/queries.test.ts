/**
 * The expression query and count over HTTP: conditions, joins, order, ranges, bounds, names
 * (docs/reference/queries.md).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, assertNothingForeign, statusOfCode } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { filled } from '../harness/names.ts';
import { addRecords, countOf, defineTables, idsOf, type Row, select, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { found, refused } from './expressions.cases.ts';
import { from, queries, refusedQueries, where, withinBounds } from './queries.cases.ts';
import { itemRows, itemTable, kindRows, kindTable, wordColumns, wordTable, wordTables } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  await defineTables(world, 'alice', [itemTable, kindTable, ...wordTables.map(wordTable)]);
  const open = (rows: readonly object[]) => rows.map((row) => ({ ...row, scopeType: '3' }));
  await addRecords(world, 'alice', 'Item', open(itemRows));
  await addRecords(world, 'alice', 'Kind', open(kindRows));
  // Bob's own records match the same conditions as alice's, and alice must never see them.
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
const post = (path: string, body: unknown) => send(world, 'alice', 'POST', path, body as object);

describe('conditions', () => {
  for (const { source, params = [], ids: expected } of found) {
    test(`${source} ${params.length === 0 ? '' : JSON.stringify(params)}`, async () => {
      const body = filled(
        { from: { phyName: 'Item', alias: 't' }, where: { expression: { source, params } } },
        world.names,
      );
      const wanted = expected === 'all' ? itemRows.map((row) => row.objectId) : expected;
      assert.deepEqual(idsOf(await select(world, 'alice', body), 't'), wanted);
      assert.equal(await countOf(world, 'alice', body), wanted.length, 'count');
    });
  }
});

describe('conditions that are refused', () => {
  for (const { source, params = [], has, between } of refused) {
    test(`${source} ${params.length === 0 ? '' : JSON.stringify(params)}`, async () => {
      const body = from('Item', 't', { where: { expression: { source, params } } });
      for (const path of ['data/query/Item', 'data/query/Item/count']) {
        const answer = await post(path, body);
        assertEnvelope(answer, 132);
        assert.equal(answer.status, statusOfCode[132]);
        assertNothingForeign(world, 'alice', answer);
        const description = String(valueAt(answer.json, 'description'));
        if (has !== undefined) assert.match(description, has);
        if (between === undefined) continue;
        const character = Number(/character (\d+)/.exec(description)?.[1]);
        assert.ok(
          character >= between[0] && character <= between[1],
          `${description} (expected character ${between.join(' to ')})`,
        );
      }
    });
  }

  test('the same in the condition of a join, which the error names', async () => {
    const answer = await post(
      'data/query/Item',
      from('Item', 't', {
        join: [{ type: 'JOIN', entity: 'Kind', entityAlias: 'k', expression: { source: '#k.nope = 1', params: [] } }],
      }),
    );
    assertEnvelope(answer, 132);
    assert.match(String(valueAt(answer.json, 'description')), /join.*nope/s);
  });
});

describe('whole queries', () => {
  for (const { name, table = 'Item', body, rows, count } of queries) {
    test(name, async () => {
      const answer = await post(`data/query/${table}`, body);
      assert.equal(answer.status, 200, answer.text);
      assertNothingForeign(world, 'alice', answer);
      const arrays = answer.json as Record<string, Row[]>;
      assert.deepEqual(Object.keys(arrays).sort(), Object.keys(rows).sort(), 'the aliases are the only keys');
      for (const [alias, expected] of Object.entries(rows))
        assert.deepEqual(idsOf(arrays, alias), ids(expected), alias);
      const lengths = new Set(Object.values(arrays).map((array) => array.length));
      assert.equal(lengths.size, 1, 'The arrays run in parallel.');
      assert.equal(await countOf(world, 'alice', body), count ?? [...lengths][0]);
    });
  }

  test('a row without a match has every column, all null', async () => {
    const arrays = await select(world, 'alice', {
      from: { phyName: 'Kind', alias: 'k' },
      join: [
        {
          type: 'LEFT JOIN',
          entity: 'Item',
          entityAlias: 't',
          expression: { source: '#t.n = 10 AND #k.rank = 1', params: [] },
        },
      ],
    });
    const [first, second] = arrays.t ?? [];
    assert.equal(first?.objectId, 'i5');
    assert.deepEqual(Object.keys(second ?? {}), Object.keys(first ?? {}));
    assert.ok(Object.values(second ?? {}).every((value) => value === null));
  });

  test('ranges of any size never overlap or skip rows', async () => {
    const bodies = [
      from('Item', 't'),
      from('Item', 't', { orderBy: [{ column: '#t.open', type: 'ASC' }] }),
      from('Item', 't', { orderBy: [{ column: '#t.n', type: 'DESC' }] }),
      from('Item', 't', { orderBy: [{ column: '#t.scopeType', type: 'DESC' }] }),
      from('Item', 't', {
        join: [
          { type: 'LEFT JOIN', entity: 'Kind', entityAlias: 'k', expression: { source: '#k.rank = 2', params: [] } },
        ],
        orderBy: [{ column: '#k.rank', type: 'ASC' }],
      }),
      from('Item', 't', {
        join: [
          {
            type: 'RIGHT JOIN',
            entity: 'Kind',
            entityAlias: 'k',
            expression: { source: '#k.objectId = #t.kindId', params: [] },
          },
        ],
        orderBy: [{ column: '#k.rank', type: 'DESC' }],
      }),
    ];
    for (const body of bodies) {
      const whole = JSON.stringify(await select(world, 'alice', body));
      for (const limit of [1, 5, 7]) {
        const pages: Record<string, Row[]> = {};
        for (let offset = 0; ; offset += limit) {
          const page = await select(world, 'alice', {
            ...body,
            range: { offset: String(offset), limit: String(limit) },
          });
          for (const [alias, rows] of Object.entries(page)) pages[alias] = [...(pages[alias] ?? []), ...rows];
          if ((Object.values(page)[0]?.length ?? 0) < limit) break;
        }
        assert.equal(JSON.stringify(pages), whole);
      }
    }
  });

  test('the same query returns the same bytes', async () => {
    const body = from('Item', 't', { orderBy: [{ column: '#t.open', type: 'ASC' }] });
    const [first, second] = [await post('data/query/Item', body), await post('data/query/Item', body)];
    assert.equal(first.text, second.text);
  });
});

describe('whole queries that are refused', () => {
  for (const { name, table = 'Item', body, code, has, rangeOnly } of refusedQueries) {
    test(name, async () => {
      for (const path of [`data/query/${table}`, `data/query/${table}/count`]) {
        const answer = await post(path, body);
        if (rangeOnly === true && path.endsWith('/count')) {
          assertEnvelope(answer, 0);
          continue;
        }
        assertEnvelope(answer, code);
        assert.equal(answer.status, statusOfCode[code]);
        assertNothingForeign(world, 'alice', answer);
        if (has !== undefined) assert.match(String(valueAt(answer.json, 'description')), has);
      }
    });
  }
});

describe('within the bounds', () => {
  for (const { name, body } of withinBounds) {
    test(name, async () => {
      const answer = await post('data/query/Item', body);
      assert.equal(answer.status, 200, answer.text.slice(0, 500));
    });
  }
});

describe('keywords of SQL are ordinary names', () => {
  for (const name of wordTables) {
    test(`table ${name}: add, update, read, join, order, count, delete`, async () => {
      const record = Object.fromEntries(wordColumns.map((column, index) => [column, `${column}-${index}`]));
      const [made] = await addRecords(world, 'alice', name, [
        { objectId: 'r1', ...record },
        { objectId: 'r2', ...record, group: null },
      ]);
      const columns = wordColumns.map((column) => `#order.${column} = ?`).join(' AND ');
      const body = {
        from: { phyName: name, alias: 'order' },
        join: [
          {
            type: 'LEFT JOIN',
            entity: name,
            entityAlias: 'select',
            expression: { source: '#select.group = #order.group AND #select.rowid = #order.rowid', params: [] },
          },
        ],
        ...{ where: where(columns, ...Object.values(record)) },
        orderBy: wordColumns.map((column) => ({ column: `#order.${column}`, type: 'DESC' })),
      };
      const arrays = await select(world, 'alice', body);
      assert.deepEqual(idsOf(arrays, 'order'), ['r1']);
      assert.deepEqual(idsOf(arrays, 'select'), ['r1']);
      for (const [column, value] of Object.entries(record)) assert.equal(arrays.order?.[0]?.[column], value);
      assert.equal(await countOf(world, 'alice', body), 1);

      const older = await post('data/query', {
        objectNames: [name],
        returnedObjectNames: [name],
        condition: {
          whereConditions: [
            {
              type: 'AND',
              searchConditions: wordColumns.map((columnName) => ({
                type: 1,
                tableName: name,
                columnName,
                conditionValue: [record[columnName]],
              })),
            },
          ],
          sortConditions: wordColumns.map((columnName) => ({ tableName: name, columnName, conditionValue: 2 })),
        },
      });
      assertEnvelope(older, 0);
      assert.equal(valueAt(older.json, `results.0.${name}.0.objectId`), 'r1');

      const changed = await post('data/batch/updateData', {
        objectName: name,
        data: [{ objectId: 'r1', serverUpdateTime: made?.serverUpdateTime, group: 'g', rowid: null, sqlite_x: 'y' }],
      });
      assertEnvelope(changed, 0);
      const got = await send(world, 'alice', 'GET', `data/${name}/r1`);
      assert.equal(valueAt(got.json, `${name}.0.group`), 'g');
      assert.equal(valueAt(got.json, `${name}.0.rowid`), null);
      assert.equal(valueAt(got.json, `${name}.0.sqlite_x`), 'y');
      const removed = await post('data/batch/deleteData', {
        objectName: name,
        objectIds: [{ objectId: 'r1', serverUpdateTime: valueAt(changed.json, 'results.0.serverUpdateTime') }],
      });
      assertEnvelope(removed, 0);
      assert.equal(await countOf(world, 'alice', { from: { phyName: name, alias: 'order' } }), 1);
    });
  }
});
