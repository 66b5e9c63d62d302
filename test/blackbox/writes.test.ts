/**
 * Add, update and delete over HTTP: batches, the optimistic lock, the clock, scope, history (docs/reference/writing.md).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertEnvelope, runCases } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, getRecord, select, send } from '../harness/requests.ts';
import { startWorld, type Who, type World } from '../harness/world.ts';
import { addCases, scopeCases } from './adds.cases.ts';
import { deleteCases, updateCases } from './changes.cases.ts';
import { historyCases } from './history.cases.ts';
import { strictTable, writesTable } from './tables.ts';

const day = 24 * 3_600_000;

let world: World;
before(async () => {
  // Sessions last longer than the days by which the history's cases move the clock.
  world = await startWorld({ settings: { userTokenLifeMs: 200 * day, userTokenLifeMaxMs: 200 * day } });
  await defineTables(world, 'alice', [writesTable, strictTable]);
  await defineTables(world, 'dave', [writesTable]);
});
after(() => world.close());

const post = (who: Who, operation: 'addData' | 'updateData' | 'deleteData', body: object) =>
  send(world, who, 'POST', `data/batch/${operation}`, { objectName: 'Write', ...body });
const updateOf = (objectId: string, serverUpdateTime: unknown, change: object = { title: 'x' }) =>
  post('alice', 'updateData', { data: [{ objectId, serverUpdateTime, ...change }] });
const timeOf = (answer: Answer, index = 0) => String(valueAt(answer.json, `results.${index}.serverUpdateTime`));
const codeOf = (answer: Answer) => valueAt(answer.json, 'errCode');
const all = { from: { phyName: 'Write', alias: 'w' } };
const withTitle = (title: string) => ({ ...all, where: { expression: { source: '#w.title = ?', params: [title] } } });

describe('add', () => {
  runCases(() => world, addCases);

  test('generated ids are ordered by time', () => {
    assert.ok(String(world.names.get('made')) < String(world.names.get('madeLater')));
  });

  test('an id is never generated twice', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        addRecords(
          world,
          'alice',
          'Write',
          Array.from({ length: 50 }, () => ({ title: 'many' })),
        ),
      ),
    );
    assert.equal(new Set(answers.flat().map((item) => item.objectId)).size, 1_000);
  });

  test('1000 items are written, 1001 are refused by name', async () => {
    const items = (count: number, title: string) => Array.from({ length: count }, () => ({ title }));
    assert.equal((await addRecords(world, 'alice', 'Write', items(1_000, 'thousand'))).length, 1_000);
    assert.equal(await countOf(world, 'alice', withTitle('thousand')), 1_000);
    const answer = await post('alice', 'addData', { data: items(1_001, 'too many') });
    assertEnvelope(answer, 131);
    assert.match(String(valueAt(answer.json, 'description')), /1[ ,.]?000/);
    assert.equal(await countOf(world, 'alice', withTitle('too many')), 0);
  });

  test('a value of 1 MiB is written, a larger one is refused by name', async () => {
    const mebibyte = 1024 * 1024;
    await addRecords(world, 'alice', 'Write', [{ objectId: 'large', note: 'x'.repeat(mebibyte) }]);
    assert.equal((await getRecord(world, 'alice', 'Write', 'large')).note?.length, mebibyte);
    for (const note of ['x'.repeat(mebibyte + 1), 'ä'.repeat(mebibyte / 2 + 1)]) {
      const answer = await post('alice', 'addData', { data: [{ objectId: 'larger', note }] });
      assertEnvelope(answer, 131);
      assert.match(String(valueAt(answer.json, 'description')), /note.*(1[ ,.]?048[ ,.]?576|1 MiB)/s);
      assert.ok(answer.text.length < 2_000, 'The value does not come back.');
    }
  });

  test('results of failing items in a long batch keep their positions', async () => {
    const data = Array.from({ length: 500 }, (_, index) => ({
      objectId: `long${index}`,
      amount: index === 250 || index === 499 ? 'x' : '1',
    }));
    const answer = await post('alice', 'addData', { data });
    assertEnvelope(answer, 131);
    const results = valueAt(answer.json, 'results') as { objectId: string }[];
    assert.equal(results.length, 500);
    assert.deepEqual(
      results.flatMap((item, index) => (item.objectId === '-1' ? [index] : [])),
      [250, 499],
    );
    assert.equal(results[0]?.objectId, 'long0');
  });

  test('an empty batch never causes an internal error', async () => {
    const answer = await post('alice', 'addData', { data: [] });
    assert.ok(codeOf(answer) === 0 || codeOf(answer) === 131, answer.text);
  });
});

describe('scope and groups', () => runCases(() => world, scopeCases));

describe('update', () => {
  runCases(() => world, updateCases);

  test('a record that was read can be sent back completely', async () => {
    await addRecords(world, 'alice', 'Write', [{ objectId: 'whole', title: 'one', amount: '1', scopeType: '2' }]);
    const record = await getRecord(world, 'alice', 'Write', 'whole');
    const answer = await post('alice', 'updateData', { data: [{ ...record, title: 'two' }] });
    assertEnvelope(answer, 0);
    const after = await getRecord(world, 'alice', 'Write', 'whole');
    assert.deepEqual(after, { ...record, title: 'two', serverUpdateTime: timeOf(answer) });
  });

  test('the time is compared as an instant, whatever form it has', async () => {
    world.clock.stoppedAt = Date.UTC(2026, 0, 31, 23, 30, 0, 0);
    try {
      await addRecords(world, 'alice', 'Write', [{ objectId: 'instant' }]);
      const forms = (ms: number): string[] => {
        const iso = new Date(ms).toISOString();
        const shifted = (minutes: number, offset: string) =>
          new Date(ms + minutes * 60_000).toISOString().replace('Z', offset);
        return [
          iso,
          iso.replace('T', ' '),
          iso.replace('Z', ''),
          shifted(420, '+07:00'),
          shifted(-210, '-03:30'),
          iso.replace('Z', '+00:00'),
          String(ms),
        ];
      };
      let last = Date.parse(String((await getRecord(world, 'alice', 'Write', 'instant')).serverUpdateTime));
      assert.equal(last, world.clock.stoppedAt);
      const first = await updateOf('instant', '2026-01-31T23:30:00Z');
      assertEnvelope(first, 0);
      last = Date.parse(timeOf(first));
      for (let index = 0; index < 7; index++) {
        const form = forms(last)[index] as string;
        const answer = await updateOf('instant', form);
        assert.equal(codeOf(answer), 0, `${form}: ${answer.text}`);
        assert.ok(Date.parse(timeOf(answer)) > last, form);
        last = Date.parse(timeOf(answer));
      }
    } finally {
      world.clock.stoppedAt = null;
    }
  });

  test('the time always moves forward: within one millisecond, and when the clock is set back', async () => {
    const start = Date.UTC(2026, 5, 1);
    world.clock.stoppedAt = start;
    try {
      const [made] = await addRecords(world, 'alice', 'Write', [{ objectId: 'forward', title: '0' }]);
      assert.equal(Date.parse(String(made?.serverUpdateTime)), start);
      let base = String(made?.serverUpdateTime);
      const bases = [base];
      for (const clock of [start, start, start - 3_600_000, start - 3_600_000, start + 10_000]) {
        world.clock.stoppedAt = clock;
        const answer = await updateOf('forward', base);
        assertEnvelope(answer, 0);
        const expected = Math.max(clock, Date.parse(base) + 1);
        assert.equal(Date.parse(timeOf(answer)), expected, 'max(now, previous + 1 ms)');
        assert.equal(valueAt(answer.json, 'results.0.serverCreateTime'), made?.serverCreateTime);
        base = timeOf(answer);
        bases.push(base);
      }
      for (const old of bases.slice(0, -1)) {
        const answer = await updateOf('forward', old);
        assertEnvelope(answer, 130);
        assert.equal(answer.status, 409);
      }
      assert.equal((await getRecord(world, 'alice', 'Write', 'forward')).serverUpdateTime, base);
    } finally {
      world.clock.stoppedAt = null;
    }
  });

  test('a deleted id that is added again continues after its former time', async () => {
    const start = Date.UTC(2026, 6, 1);
    world.clock.stoppedAt = start;
    try {
      await addRecords(world, 'alice', 'Write', [{ objectId: 'again' }]);
      let base = new Date(start).toISOString();
      for (let round = 0; round < 3; round++) base = timeOf(await updateOf('again', base));
      const lived = Date.parse(base);
      assert.equal(lived, start + 3);
      world.clock.stoppedAt = start - 86_400_000;
      assertEnvelope(
        await post('alice', 'deleteData', { objectIds: [{ objectId: 'again', serverUpdateTime: base }] }),
        0,
      );
      const [born] = await addRecords(world, 'alice', 'Write', [{ objectId: 'again', title: 'second life' }]);
      assert.ok(Date.parse(String(born?.serverUpdateTime)) > lived, `${born?.serverUpdateTime} is after ${base}`);
      const late = await updateOf('again', base);
      assertEnvelope(late, 130);
      assert.equal(late.status, 409);
    } finally {
      world.clock.stoppedAt = null;
    }
  });

  test('of many updates on the same base exactly one wins', async () => {
    const [made] = await addRecords(world, 'alice', 'Write', [{ objectId: 'race', scopeType: '3', amount: '0' }]);
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        post(index % 2 === 0 ? 'alice' : 'bob', 'updateData', {
          data: [{ objectId: 'race', amount: String(index), serverUpdateTime: made?.serverUpdateTime }],
        }),
      ),
    );
    const won = answers.flatMap((answer, index) => (codeOf(answer) === 0 ? [index] : []));
    assert.equal(won.length, 1);
    for (const [index, answer] of answers.entries()) {
      if (index === won[0]) continue;
      assertEnvelope(answer, 130);
      assert.equal(answer.status, 409);
    }
    assert.equal((await getRecord(world, 'alice', 'Write', 'race')).amount, String(won[0]));
  });

  test('of many adds of the same id exactly one wins', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        post('alice', 'addData', { data: [{ objectId: 'only', amount: String(index) }] }),
      ),
    );
    assert.equal(answers.filter((answer) => codeOf(answer) === 0).length, 1);
    for (const answer of answers) assert.ok(codeOf(answer) === 0 || codeOf(answer) === 131);
  });

  test('batches on the same records in different orders neither block nor mix', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `mix${index}`);
    await addRecords(
      world,
      'alice',
      'Write',
      ids.map((objectId) => ({ objectId, scopeType: '3', amount: '0' })),
    );
    const records = await Promise.all(ids.map((id) => getRecord(world, 'alice', 'Write', id)));
    const items = (amount: string) =>
      records.map((record) => ({ objectId: record.objectId, serverUpdateTime: record.serverUpdateTime, amount }));
    const answers = await Promise.all(
      [items('1'), items('2').toReversed(), items('3')].map((data) => post('alice', 'updateData', { data })),
    );
    assert.equal(answers.filter((answer) => codeOf(answer) === 0).length, 1);
    const amounts = new Set(
      (await Promise.all(ids.map((id) => getRecord(world, 'alice', 'Write', id)))).map((record) => record.amount),
    );
    assert.equal(amounts.size, 1, 'All of one batch, nothing of the others.');
  });
});

test('1001 items are refused on update and delete as well', async () => {
  const serverUpdateTime = '2020-01-01T00:00:00.000Z';
  const items = Array.from({ length: 1_001 }, (_, index) => ({ objectId: `none${index}`, serverUpdateTime }));
  for (const [operation, body, code] of [
    ['updateData', { data: items }, 131],
    ['deleteData', { objectIds: items }, 198],
  ] as const) {
    const answer = await post('alice', operation, body);
    assertEnvelope(answer, code);
    assert.match(String(valueAt(answer.json, 'description')), /1[ ,.]?000/);
  }
});

test('of many simultaneous batches each succeeds or fails alone', async () => {
  await addRecords(world, 'alice', 'Write', [{ objectId: 'taken', code: 'taken' }]);
  const isGood = (index: number) => index % 3 !== 0;
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      post('alice', 'addData', {
        data: [
          { objectId: `alone${index}a`, title: 'alone', code: `alone${index}` },
          isGood(index)
            ? { objectId: `alone${index}b`, title: 'alone' }
            : { objectId: index % 2 === 0 ? 'taken' : `alone${index}b`, title: 'alone', code: 'taken' },
        ],
      }),
    ),
  );
  for (const [index, answer] of answers.entries()) assertEnvelope(answer, isGood(index) ? 0 : 131);
  const written = await select(world, 'alice', { ...withTitle('alone'), orderBy: [] });
  const expected = answers.flatMap((_, index) => (isGood(index) ? [`alone${index}a`, `alone${index}b`] : [])).sort();
  assert.deepEqual(
    written.w?.map((record) => record.objectId),
    expected,
  );
});

test('a body just below 8 MiB is written', async () => {
  const data = Array.from({ length: 8 }, (_, index) => ({ objectId: `wide${index}`, note: 'x'.repeat(1_000_000) }));
  await addRecords(world, 'alice', 'Write', data);
  assert.equal((await getRecord(world, 'alice', 'Write', 'wide7')).note?.length, 1_000_000);
});

describe('delete', () => runCases(() => world, deleteCases));

describe('history', () => {
  runCases(() => world, historyCases);

  test('of concurrent replays exactly one is processed, the others get its results', async () => {
    const body = { transactionId: 'twins', data: [{ title: 'twin' }, { title: 'twin' }] };
    const answers = await Promise.all(Array.from({ length: 16 }, () => post('alice', 'addData', body)));
    const first = answers.filter((answer) => codeOf(answer) === 0);
    assert.equal(first.length, 1);
    for (const answer of answers) {
      if (answer === first[0]) continue;
      assertEnvelope(answer, 211);
      assert.deepEqual(valueAt(answer.json, 'results'), valueAt(first[0]?.json, 'results'));
    }
    assert.equal(await countOf(world, 'alice', withTitle('twin')), 2);
  });

  test('of concurrent different requests with one id exactly one is processed, the others get no results', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        post(index % 2 === 0 ? 'alice' : 'bob', 'addData', {
          transactionId: 'strangers',
          data: [{ title: `stranger ${index}`, scopeType: '3' }],
        }),
      ),
    );
    assert.equal(answers.filter((answer) => codeOf(answer) === 0).length, 1);
    for (const answer of answers.filter((each) => codeOf(each) !== 0)) {
      assertEnvelope(answer, 211);
      const results = valueAt(answer.json, 'results');
      assert.ok(
        results === undefined || results === null || (Array.isArray(results) && results.length === 0),
        answer.text,
      );
    }
  });

  test('a request with its fields in another order is the same request', async () => {
    const first = await world.call('POST', `${world.prefix}/data/batch/addData`, {
      token: world.token('alice'),
      raw: '{"transactionId":"order","objectName":"Write","data":[{"objectId":"ord","title":"t","amount":"1"}]}',
    });
    assertEnvelope(first, 0);
    const second = await world.call('POST', `${world.prefix}/data/batch/addData`, {
      token: world.token('alice'),
      raw: '{ "data": [ { "amount": "1", "title": "t", "objectId": "ord" } ], "objectName": "Write", "transactionId": "order" }',
    });
    assertEnvelope(second, 211);
    assert.deepEqual(valueAt(second.json, 'results'), valueAt(first.json, 'results'));
  });

  test('the other company has its own history', async () => {
    assertEnvelope(await post('dave', 'addData', { transactionId: 'tx-1', data: [{ title: 'dave' }] }), 0);
  });

  test('a replay returns the first results even after the record has changed', async () => {
    const body = { transactionId: 'changed', data: [{ objectId: 'chg', title: 'a' }] };
    const first = await post('alice', 'addData', body);
    assertEnvelope(first, 0);
    assertEnvelope(await updateOf('chg', timeOf(first)), 0);
    const second = await post('alice', 'addData', body);
    assertEnvelope(second, 211);
    assert.deepEqual(valueAt(second.json, 'results'), valueAt(first.json, 'results'));
  });
});
