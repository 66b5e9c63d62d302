/** Puts, and batches of several tables, over HTTP (docs/reference/writing.md#putting, #several-tables). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, runCases } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { countOf, defineTables, getRecord, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { batchCases, freeTable, keysTables, putCases } from './puts.cases.ts';
import { strictTable, writesTable } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  await defineTables(world, 'alice', [writesTable, strictTable, freeTable, ...keysTables]);
});
after(() => world.close());

const post = (path: string, body: object) => send(world, 'alice', 'POST', path, body);
const free = (name: string) => ({
  from: { phyName: 'Free', alias: 'f' },
  where: { expression: { source: '#f.name = ?', params: [name] } },
});

describe('put', () => {
  runCases(() => world, putCases);

  test('of many simultaneous puts of one key, one adds and the others update', async () => {
    const put = { objectName: 'Free', by: ['name', 'size'], data: [{ name: 'many', size: 1 }] };
    const answers = await Promise.all(Array.from({ length: 24 }, () => post('data/batch/putData', put)));
    for (const answer of answers) assertEnvelope(answer, 0);
    const outcomes = answers.map((answer) => valueAt(answer.json, 'results.0.outcome')).sort();
    assert.deepEqual(outcomes, ['added', ...Array.from({ length: 23 }, () => 'updated')]);
    assert.equal(await countOf(world, 'alice', free('many')), 1);
  });

  test('… and if the table has a lock, one adds and the others are refused', async () => {
    const put = { objectName: 'Write', by: ['code'], data: [{ code: 'many' }] };
    const answers = await Promise.all(Array.from({ length: 24 }, () => post('data/batch/putData', put)));
    const codes = answers.map(({ status }) => status).sort();
    assert.deepEqual(codes, [200, ...Array.from({ length: 23 }, () => 409)]);
  });
});

describe('several tables', () => {
  test('initial data of the cases', async () => {
    for (const name of ['a', 'k1']) {
      const id = world.names.get(name) ?? name;
      world.names.set(`${name}.now`, String((await getRecord(world, 'alice', 'Write', id)).serverUpdateTime));
    }
  });
  runCases(() => world, batchCases);

  test('the limit on items applies to all operations together', async () => {
    const add = (count: number) => ({
      op: 'add',
      objectName: 'Write',
      data: Array.from({ length: count }, () => ({})),
    });
    const answer = await post('data/batch', { operations: [add(600), add(401)] });
    assertEnvelope(answer, 131);
    assert.match(String(valueAt(answer.json, 'description')), /^operations: expected at most 1000 items .*got 1001/);
    assertEnvelope(await post('data/batch', { operations: [add(600), add(400)] }), 0);
  });

  test('batches that name the same records of two tables, in either order, do not deadlock', async () => {
    const names = ['x', 'y'];
    const put = (name: string, table: string) => ({
      op: 'put',
      objectName: table,
      by: ['name', 'size'],
      data: [{ name, size: 7 }],
    });
    await defineTables(world, 'alice', [{ ...freeTable, name: 'Other' }]);
    const orders = [
      ['Free', 'Other'],
      ['Other', 'Free'],
    ] as const;
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const tables = orders[index % 2] as (typeof orders)[number];
        const order = index % 3 === 0 ? names : names.toReversed();
        return post('data/batch', { operations: tables.flatMap((table) => order.map((name) => put(name, table))) });
      }),
    );
    for (const answer of answers) assertEnvelope(answer, 0);
    const added = answers.filter(({ text }) => text.includes('"added"'));
    assert.equal(added.length, 1);
  });
});
