/**
 * Quotas of a company: what is refused above them and what is not, that other companies are not affected, and that they
 * can be changed.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { CompanyChanges } from '../../src/directory/companies.ts';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, countOf, defineTables, getRecord, send } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';

const mib = 1024 * 1024;
/** More than the empty data spaces of the demo take. */
const storageBytesMax = 12 * mib;
const all = { from: { phyName: 'Note', alias: 'n' } };

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'dave'], settings: { quotaEveryMs: 20 } });
  for (const [who, companyId] of [
    ['alice', 1],
    ['dave', 2],
  ] as const) {
    await world.server.directory.versions.update(companyId, app.appId, app.appVersion, { development: true });
    await defineTables(world, who, [
      { name: 'Note', primary_key: 'objectId', columns: [{ colName: 'body', type: 'text' }] },
    ]);
  }
});
after(() => world.close());

const setQuotas = (changes: CompanyChanges) => world.server.directory.companies.update(1, changes);

/** Repeats the request until the expected answer, because quotas are read in the background. */
async function until(ask: () => Promise<Answer>, isDone: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (isDone(answer)) return answer;
  }
}

const add = (who: Who, more: object = {}) =>
  send(world, who, 'POST', 'data/batch/addData', { objectName: 'Note', data: [{ body: 'short' }], ...more });
const log = (who: Who) => send(world, who, 'POST', 'logs', { logLevel: 'ERROR', message: 'something' });
const isOk = (answer: Answer) => answer.status === 200;

function assertRefused(answer: Answer, status: number, description: RegExp): void {
  assertEnvelope(answer, 131);
  assert.equal(answer.status, status);
  assert.match(String(valueAt(answer.json, 'description')), description);
  assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
}

test('storage: adds and updates are refused above it, deletes and reads are not, and deletes free space', async () => {
  const transactionId = 'before-it-was-full';
  const known = await add('alice', { transactionId });
  assertEnvelope(known, 0);
  const [changed] = await addRecords(world, 'alice', 'Note', [{ objectId: 'changed', body: 'old' }]);
  // Incompressible data.
  const large = { body: randomBytes(0.65 * mib).toString('base64') };
  await setQuotas({ storageBytesMax });
  const bodies = () =>
    addRecords(
      world,
      'alice',
      'Note',
      Array.from({ length: 6 }, () => large),
    );
  await bodies();
  await bodies();
  await bodies();
  let accepted = 0;
  const refused = await until(
    () => add('alice'),
    (answer) => {
      if (isOk(answer)) accepted++;
      return !isOk(answer);
    },
  );
  assertRefused(refused, 403, /take \d+ bytes, and it may store 12582912\. Records can be deleted and read/);
  const update = { objectName: 'Note', data: [{ ...changed, body: 'new' }] };
  assertRefused(await send(world, 'alice', 'POST', 'data/batch/updateData', update), 403, /it may store/);
  assert.equal((await getRecord(world, 'alice', 'Note', 'changed')).body, 'old');

  const repeated = await add('alice', { transactionId });
  assertEnvelope(repeated, 211);
  assert.deepEqual(valueAt(repeated.json, 'results'), valueAt(known.json, 'results'));
  assertRefused(await add('alice', { transactionId: 'of-a-refused-one' }), 403, /it may store/);
  assertEnvelope(await add('dave'), 0);

  const remove = { objectName: 'Note', objectIds: [changed] };
  assertEnvelope(await send(world, 'alice', 'POST', 'data/batch/deleteData', remove), 0);
  // The first, 18 large ones, and those added before the size was read; `changed` was deleted.
  assert.equal(await countOf(world, 'alice', all), 19 + accepted);

  const reset = { tables: [{ name: 'Note', primary_key: 'objectId', columns: [{ colName: 'body', type: 'text' }] }] };
  assertEnvelope(await send(world, 'alice', 'POST', 'schemas', { ...reset, isResetDatabase: true }), 0);
  const again = await until(() => add('alice', { transactionId: 'of-a-refused-one' }), isOk);
  assertEnvelope(again, 0);
  await setQuotas({ storageBytesMax: null });
});

test('log entries: a limited number is stored, others are refused', async () => {
  assertEnvelope(await log('alice'), 0);
  await setQuotas({ logEntriesMax: 20 });
  let kept = 1;
  const refused = await until(
    () => log('alice'),
    (answer) => {
      if (isOk(answer)) kept++;
      return !isOk(answer);
    },
  );
  assertRefused(refused, 429, /limit of 20 log messages/);
  assert.ok(kept >= 20, `${kept} were kept`);
  assertEnvelope(await log('dave'), 0);
  assertEnvelope(await add('alice'), 0);
  await setQuotas({ logEntriesMax: null });
  await until(() => log('alice'), isOk);
});

test('concurrent requests: further ones are refused, and slots are released', async () => {
  await setQuotas({ requestsAtOnceMax: 4 });
  const many = () =>
    Promise.all(Array.from({ length: 40 }, () => send(world, 'alice', 'POST', 'data/query/Note', all)));
  let answers = await many();
  while (answers.every(isOk)) answers = await many();
  const refused = answers.filter((answer) => !isOk(answer));
  assert.ok(refused.length < answers.length);
  for (const answer of refused) {
    assert.equal(answer.status, 429);
    assert.equal(valueAt(answer.json, 'errCode'), 131);
    assert.equal(answer.headers['retry-after'], '1');
    assert.match(answer.text, /limit of 4 simultaneous requests/);
  }
  const others = await Promise.all(Array.from({ length: 20 }, () => send(world, 'dave', 'GET', 'roles')));
  assert.ok(others.every(isOk));
  for (let next = 0; next < 20; next++) {
    assertEnvelope(await until(() => send(world, 'alice', 'GET', 'roles'), isOk), 0);
    assertEnvelope(await send(world, 'alice', 'GET', 'data/Note/nothing'), 130);
  }
  await setQuotas({ requestsAtOnceMax: null });
  while (!(await many()).every(isOk));
});

test('concurrent requests: slots of clients that disconnect are released', async () => {
  await setQuotas({ requestsAtOnceMax: 4 });
  const { port } = new URL(world.server.url);
  const head = `GET ${world.prefixOf('alice')}/roles HTTP/1.1\r\nhost: x\r\nservice-token: ${world.token('alice')}\r\n\r\n`;
  for (const requests of [1, 6]) {
    for (let next = 0; next < 20; next++) {
      // The session is read again, so that the client is gone before it is identified.
      world.clock.offsetMs += 10_000;
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      socket.write(head.repeat(requests), () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    const answers = () => Promise.all(Array.from({ length: 4 }, () => send(world, 'alice', 'GET', 'roles')));
    for (let left = 200; !(await answers()).every(isOk); left--) assert.ok(left > 0, 'Places are not given back.');
  }
  await setQuotas({ requestsAtOnceMax: null });
});
