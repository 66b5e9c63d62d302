/**
 * Bounds on results, time and queues: what is refused, that nothing is truncated silently, and that others are served
 * (docs/reference/queries.md#large-and-slow-results).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, getRecord, type QueryBody, select, send } from '../harness/requests.ts';
import { answeredMeanwhile } from '../harness/work.ts';
import { startWorld, type World } from '../harness/world.ts';
import { kindTable } from './tables.ts';

const queryTimeMs = 1_500;

let world: World;
before(async () => {
  world = await startWorld({
    people: ['alice', 'bob'],
    settings: { resultRowsMax: 50, resultBytesMax: 40_000, queryTimeMs, writesQueuedMax: 8, readsQueuedMax: 8 },
  });
  await defineTables(world, 'alice', [
    kindTable,
    { ...kindTable, name: 'Wide', columns: [{ colName: 'body', type: 'text' }] },
  ]);
  await addRecords(
    world,
    'alice',
    'Kind',
    Array.from({ length: 400 }, (_, index) => ({
      objectId: `k${String(index).padStart(3, '0')}`,
      label: 'x',
      rank: String(index),
      scopeType: '3',
    })),
  );
  await addRecords(
    world,
    'alice',
    'Wide',
    Array.from({ length: 20 }, (_, index) => ({ objectId: `w${index}`, body: 'ä'.repeat(1_500), scopeType: '3' })),
  );
});
after(() => world.close());

const kinds = (extra: object = {}): QueryBody => ({ from: { phyName: 'Kind', alias: 'k' }, ...extra });
const query = (body: object, path = 'data/query/Kind') => send(world, 'alice', 'POST', path, body);
const everyPair = (alias: string) => ({
  type: 'JOIN',
  entity: 'Kind',
  entityAlias: alias,
  expression: { source: '1 = 1', params: [] },
});
/** 400⁴ combinations without a match. */
const endless = kinds({
  join: ['a', 'b', 'c'].map(everyPair),
  where: { expression: { source: '#k.rank + #a.rank + #b.rank + #c.rank = -1', params: [] } },
});

function refused(answer: Answer, code: number, status: number): string {
  assertEnvelope(answer, code);
  assert.equal(answer.status, status);
  return String(valueAt(answer.json, 'description'));
}

describe('the size of a result', () => {
  test('a result above the configured size is refused, never truncated', async () => {
    const description = refused(await query(kinds()), 212, 413);
    assert.match(description, /50/);
    assert.match(description, /range/);
    const older = await query({ objectNames: ['Kind'], returnedObjectNames: ['Kind'] }, 'data/query');
    refused(older, 212, 413);
  });

  test('a range within the bound is answered, and so is a count of everything', async () => {
    const arrays = await select(world, 'alice', kinds({ range: { offset: '0', limit: '50' } }));
    assert.equal(arrays.k?.length, 50);
    refused(await query(kinds({ range: { offset: '0', limit: '51' } })), 212, 413);
    assert.equal(await countOf(world, 'alice', kinds()), 400);
    const older = await query({ objectNames: ['Kind'], returnedObjectNames: ['Kind'], maxRecord: 50 }, 'data/query');
    assertEnvelope(older, 0);
    assert.equal(valueAt(older.json, 'counter'), 400);
  });

  test('a result with too many bytes is refused', async () => {
    const wide = { from: { phyName: 'Wide', alias: 'w' } };
    const description = refused(await query(wide, 'data/query/Wide'), 212, 413);
    assert.match(description, /40[ ,.]?000/);
    const arrays = await select(world, 'alice', { ...wide, range: { offset: '0', limit: '5' } });
    assert.equal(arrays.w?.length, 5);
  });
});

describe('the time of a query', () => {
  test('a query past its time limit is stopped', async () => {
    for (const path of ['data/query/Kind', 'data/query/Kind/count']) {
      const started = performance.now();
      const description = refused(await query(endless, path), 212, 503);
      assert.ok(performance.now() - started > queryTimeMs * 0.8, 'stopped before its time');
      assert.match(description, /time|ms|second/i);
    }
  });

  test('others do not wait for it', async () => {
    const slow = async () => refused(await query(endless), 212, 503);
    await answeredMeanwhile(slow, async () => {
      await select(world, 'bob', kinds({ where: { expression: { source: '#k.rank = 5', params: [] } } }));
      await getRecord(world, 'bob', 'Kind', 'k001');
      await addRecords(world, 'bob', 'Kind', [{ label: 'meanwhile' }]);
    });
  });

  test('a query that is slow within one row is stopped as well', async () => {
    await addRecords(world, 'alice', 'Wide', [{ objectId: 'long', body: 'a'.repeat(1_000_000), scopeType: '1' }]);
    const slowLike = `#w.body LIKE '%${'a'.repeat(900)}b%'`;
    const source = `#w.objectId = 'long' AND (${Array.from({ length: 8 }, () => slowLike).join(' OR ')})`;
    // Three in sequence, each of which takes its whole time limit.
    const thrice = async () => {
      for (let count = 0; count < 3; count++) refused(await query(endless), 212, 503);
      return null;
    };
    const within = query(
      { from: { phyName: 'Wide', alias: 'w' }, where: { expression: { source, params: [] } } },
      'data/query/Wide',
    );
    const others = thrice();
    const answer = await Promise.race([within, others]);
    assert.notEqual(answer, null, 'it ran longer than three queries that are stopped');
    await others;
    if (answer?.status !== 200) refused(answer as Answer, 212, 503);
  });

  test('the service then works as before', async () => {
    assert.equal(
      await countOf(world, 'bob', kinds({ where: { expression: { source: '#k.rank = 5', params: [] } } })),
      1,
    );
  });
});

describe('queues', () => {
  const codeOf = (answer: Answer) => valueAt(answer.json, 'errCode');

  test('a full write queue answers 210 and when to try again', async () => {
    const requests: [string, object][] = [
      ['addData', { objectName: 'Kind', data: [{ label: 'busy' }] }],
      ['updateData', { objectName: 'Kind', data: [{ objectId: 'nobody', serverUpdateTime: '2001-01-01T00:00:00Z' }] }],
      [
        'deleteData',
        { objectName: 'Kind', objectIds: [{ objectId: 'nobody', serverUpdateTime: '2001-01-01T00:00:00Z' }] },
      ],
    ];
    for (const [path, body] of requests) {
      const answers = await Promise.all(
        Array.from({ length: 300 }, () => send(world, 'bob', 'POST', `data/batch/${path}`, body)),
      );
      const busy = answers.filter((answer) => codeOf(answer) === 210);
      assert.ok(busy.length > 0, `${path}: no answer of 300 was 210`);
      for (const answer of busy) {
        refused(answer, 210, 503);
        assert.match(String(answer.headers['retry-after']), /^\d+$/);
      }
      for (const answer of answers) assert.ok([0, 130, 210].includes(Number(codeOf(answer))), answer.text);
      if (path !== 'addData') continue;
      const written = answers.filter((answer) => codeOf(answer) === 0).length;
      const ofThem = kinds({ where: { expression: { source: "#k.label = 'busy'", params: [] } } });
      assert.equal(await countOf(world, 'bob', ofThem), written, 'What was answered 0 is there, and nothing else.');
    }
  });

  test('a full read queue answers 212 and when to try again', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => query(endless)));
    const busy = answers.filter((answer) => answer.headers['retry-after'] !== undefined);
    assert.ok(busy.length > 0, 'no answer of 40 had Retry-After');
    for (const answer of answers) refused(answer, 212, 503);
    assert.equal(
      await countOf(world, 'bob', kinds({ where: { expression: { source: '#k.rank = 5', params: [] } } })),
      1,
    );
  });
});
