/** Batches of the client against a service: sent once, conflicts reported, requests with lost answers repeated. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { Invalid, NetworkError, SignInRequired } from '../../packages/client/src/errors.ts';
import { tokenSession } from '../../packages/client/src/session.ts';
import { type Batch, bodyOf, readRecord, type Write } from '../../packages/client/src/writes.ts';
import { define, type Service, start, stop } from './service.ts';

let service: Service<'alice'>;
before(async () => {
  const columns = [
    { colName: 'title', type: 'varchar', fieldLength: 100 },
    { colName: 'amount', type: 'long' },
  ];
  service = await start({ people: ['alice'], tables: [{ name: 'Job', columns }] });
});
after(() => stop(service));

/** @param lose how many answers to batches get lost */
function clientOf(token = service.people.alice.token, lose = 0) {
  let left = lose;
  const bodies: unknown[] = [];
  const client = createClient({
    ...service.place,
    session: token,
    wait: async () => {},
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!String(input).endsWith('/batch')) return response;
      bodies.push(init?.body);
      if (left-- > 0) throw new TypeError('fetch failed');
      return response;
    },
  });
  return { ...client, bodies };
}

let batches = 0;
const batchOf = (...writes: Write[]): Batch => ({ transactionId: `of the client ${++batches}`, writes });
const add = (objectId: string, values: object = {}): Write => {
  return { op: 'add', table: 'Job', values: { objectId, scopeType: 1, ...values }, base: null };
};

test('a batch whose answers were lost is written once, with the same bytes', async () => {
  const { commit, transport, bodies } = clientOf(undefined, 2);
  const outcome = await commit(batchOf(add('lost', { title: 'once', amount: 2n ** 60n })));
  assert.ok(outcome.ok);
  assert.equal(bodies.length, 3);
  assert.equal(new Set(bodies).size, 1);
  const record = await readRecord(transport, 'Job', 'lost');
  assert.equal(record?.amount, String(2n ** 60n));
  assert.equal(record?.serverUpdateTime, outcome.results?.[0]?.serverUpdateTime);
});

test('a record that someone else changed or deleted is a conflict, and nothing is written', async () => {
  const { commit, transport } = clientOf();
  await commit(batchOf(add('both')));
  const base = await readRecord(transport, 'Job', 'both');
  const change = (title: string): Write => ({ op: 'update', table: 'Job', values: { objectId: 'both', title }, base });
  assert.ok((await commit(batchOf(change('theirs')))).ok);
  const outcome = await commit(batchOf(add('not written'), change('mine')));
  assert.ok(!outcome.ok);
  const { index, mine, theirs } = outcome.conflict;
  assert.deepEqual([index, mine?.title, theirs?.title, outcome.conflict.base], [1, 'mine', 'theirs', base]);
  assert.equal(await readRecord(transport, 'Job', 'not written'), null);
  await commit(batchOf({ op: 'delete', table: 'Job', values: { objectId: 'both' }, base: theirs }));
  const gone = await commit(batchOf(change('mine')));
  assert.ok(!gone.ok);
  assert.equal(gone.conflict.theirs, null);
});

test('a batch that got no answer is on the error, and can be committed once more', async () => {
  const { commit, bodies } = clientOf(undefined, 5);
  const failed = await commit(batchOf(add('once more'))).catch((error) => error);
  assert.ok(failed instanceof NetworkError && failed.cause instanceof TypeError);
  assert.ok(failed.batch !== undefined);
  assert.ok((await commit(failed.batch)).ok);
  assert.equal(bodies.length, 6);
  assert.equal(new Set(bodies).size, 1);
});

test('each of several batches that wait for one sign-in is on its own error', async () => {
  const refusal = new SignInRequired({ message: 'Nobody is signed in.' });
  const session = { ...tokenSession(''), token: () => Promise.reject(refusal) };
  const { commit } = createClient({ ...service.place, session });
  const batches = [batchOf(add('one')), batchOf(add('other'))];
  const errors = await Promise.all(batches.map((batch) => commit(batch).catch((error) => error)));
  assert.deepEqual(
    errors.map(({ batch }) => batch),
    batches,
  );
});

test('more values than one operation may have are split into several', async () => {
  const wide = {
    name: 'Wide',
    columns: Array.from({ length: 25 }, (_, at) => ({ colName: `c${at}`, type: 'integer' })),
  };
  await define(service, [wide]);
  const values = Object.fromEntries(wide.columns.map(({ colName }, at) => [colName, at]));
  const writes = Array.from({ length: 900 }, (_, at): Write => {
    return { op: 'add', table: 'Wide', values: { objectId: `w${at}`, scopeType: 1, ...values }, base: null };
  });
  const outcome = await clientOf().commit(batchOf(...writes));
  assert.ok(outcome.ok && outcome.results.length === 900);
  const { operations } = bodyOf(batchOf(add('json', { extra: Array(16_000).fill(1) }), add('next'), add('last')));
  assert.deepEqual(
    operations.map(({ data }) => data.length),
    [1, 2],
  );
});

test('a number that JSON cannot hold is refused before it is sent', async () => {
  const { commit, bodies } = clientOf();
  for (const amount of [Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(commit(batchOf(add('nan', { amount }))), {
      name: 'Invalid',
      field: 'amount',
      message: `amount: expected a finite number, got ${amount}.`,
    });
  }
  assert.deepEqual(bodies, []);
});

test('an error has its kind, code and field', async () => {
  const { commit } = clientOf();
  await assert.rejects(commit(batchOf(add('wrong', { amount: 'many' }))), (error) => {
    assert.ok(error instanceof Invalid);
    assert.deepEqual([error.code, error.field], [131, 'operations[0].data[0].amount']);
    return true;
  });
  const stranger = clientOf('0'.repeat(64));
  await assert.rejects(stranger.commit(batchOf(add('nobody'))), SignInRequired);
});
