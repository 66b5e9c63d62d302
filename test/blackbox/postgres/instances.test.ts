/** Two instances of the service that share only a database: what one does takes effect on the other. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { defaults } from '../../../src/config.ts';
import { type Rowhouse, startRowhouse } from '../../../src/main.ts';
import { makeScratch, type Scratch } from '../../engines/scratch.ts';
import { assertEnvelope } from '../../harness/cases.ts';
import { type Answer, type Client, openClient } from '../../harness/client.ts';
import { valueAt } from '../../harness/match.ts';
import { leaveGroup } from '../../harness/memberships.ts';
import { defineTables, send } from '../../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../../harness/world.ts';

let scratch: Scratch;
let first: World;
let second: Rowhouse;
let client: Client;

before(async () => {
  scratch = await makeScratch();
  first = await startWorld({ scratch });
  await first.server.directory.versions.update(1, app.appId, app.appVersion, { development: true });
  // Long enough that no change below is noticed merely because time has passed.
  const settings = { ...defaults, ...scratch.settings, port: 0, definitionCacheMs: 60_000 };
  second = await startRowhouse(settings, { demo: 'shown', log: pino({ level: 'silent' }) });
  client = openClient(second.url);
});
after(async () => {
  client.close();
  await second.close();
  await first.close();
  await scratch.remove();
});

/** Sends a request to the second instance. */
function there(who: Who, method: string, path: string, body?: object): Promise<Answer> {
  const options = { token: first.token(who), ...(body === undefined ? {} : { body }) };
  return client.call(method, `${first.prefixOf(who)}/${path}`, options);
}

const column = (colName: string, type = 'text', more: object = {}) => ({ colName, type, ...more });
const table = (name: string, columns: readonly object[], more: object = {}) => ({
  name,
  primary_key: 'objectId',
  columns,
  ...more,
});
const add = (objectName: string, ...data: readonly object[]) =>
  there('alice', 'POST', 'data/batch/addData', { objectName, data });
const query = (phyName: string, source: string, params: readonly string[]) =>
  there('alice', 'POST', `data/query/${phyName}`, {
    from: { phyName, alias: 'x' },
    where: { expression: { source, params } },
  });

describe('what is defined on one instance is used on the other at once', () => {
  const code = column('code', 'varchar', { fieldLength: 20 });

  test('a table', async () => {
    assertEnvelope(await there('alice', 'GET', 'data/Shared/one'), 102);
    await defineTables(first, 'alice', [table('Shared', [code])]);
    assertEnvelope(await add('Shared', { objectId: 'one', code: 'a' }), 0);
    assert.equal((await there('alice', 'GET', 'data/Shared/one')).status, 200);
    const { json } = await query('Shared', '#x.code = ?', ['a']);
    assert.equal(valueAt(json, 'x.0.objectId'), 'one');
  });

  test('a column, in a batch, an update, a condition and the answer', async () => {
    await defineTables(first, 'alice', [table('Shared', [code, column('added', 'integer')])]);
    assertEnvelope(await query('Shared', '#x.added IS NULL', []), 'bare');
    await defineTables(first, 'alice', [table('Shared', [code, column('added', 'integer'), column('third')])]);
    const added = await add('Shared', { objectId: 'two', code: 'b', added: '7', third: 'x' });
    assertEnvelope(added, 0);
    await defineTables(first, 'alice', [table('Shared', [column('fourth', 'bool')])]);
    const serverUpdateTime = valueAt(added.json, 'results.0.serverUpdateTime');
    const data = [{ objectId: 'two', serverUpdateTime, fourth: 'true' }];
    assertEnvelope(await there('alice', 'POST', 'data/batch/updateData', { objectName: 'Shared', data }), 0);
    const { json } = await there('alice', 'GET', 'data/Shared/two');
    assert.deepEqual(
      ['code', 'added', 'third', 'fourth'].map((name) => valueAt(json, `Shared.0.${name}`)),
      ['b', '7', 'x', 'true'],
    );
  });

  test('a unique index', async () => {
    await defineTables(first, 'alice', [table('Shared', [code], { indexes: [{ columns: ['code'], unique: true }] })]);
    assertEnvelope(await add('Shared', { objectId: 'three', code: 'b' }), 131);
    assertEnvelope(await add('Shared', { objectId: 'three', code: 'c' }), 0);
  });

  test('a reset, with another table of the same name, and a record of the same id', async () => {
    const tables = [table('Shared', [column('code', 'integer')])];
    const reset = await send(first, 'alice', 'POST', 'schemas', { tables, isResetDatabase: true });
    assertEnvelope(reset, 0);
    assertEnvelope(await there('alice', 'GET', 'data/Shared/one'), 130);
    assertEnvelope(await add('Shared', { objectId: 'one', code: 'a' }), 131);
    assertEnvelope(await add('Shared', { objectId: 'one', code: '5' }), 0);
    const { json } = await query('Shared', '#x.code > ?', ['4']);
    assert.equal(valueAt(json, 'x.0.code'), '5');
    assertEnvelope(await send(first, 'alice', 'GET', 'data/Shared/one'), 'bare');
  });

  test('a transaction id processed by one is known to the other', async () => {
    const body = { transactionId: 'here', objectName: 'Shared', data: [{ code: '1' }] };
    const done = await send(first, 'alice', 'POST', 'data/batch/addData', body);
    assertEnvelope(done, 0);
    const again = await there('alice', 'POST', 'data/batch/addData', body);
    assertEnvelope(again, 211);
    assert.deepEqual(valueAt(again.json, 'results'), valueAt(done.json, 'results'));
  });
});

/** docs/reference/sign-in.md#tokens. */
const noticedMsMax = 5_000;

test('a logout, a disabled user, a deleted membership and a disabled company end sessions on the other within 5 s', async (t) => {
  const { directory } = first.server;
  const idOf = (who: Who) => Number(first.person(who).id);
  const ends: readonly [Who, string, number, () => Promise<unknown>][] = [
    ['alice', 'logout', 121, () => send(first, 'alice', 'POST', 'auth/logout', {})],
    ['bob', 'user disabled', 110, () => directory.users.update(1, idOf('bob'), { disabled: true })],
    ['carol', 'left the last group', 110, () => leaveAll('carol')],
    ['dave', 'company disabled', 121, () => directory.companies.update(2, { disabled: true })],
  ];
  const leaveAll = async (who: Who) => {
    for (const groupId of first.person(who).groupIds) await leaveGroup(directory.users, idOf(who), { groupId });
  };
  await Promise.all(
    ends.map(async ([who, what, code, end]) => {
      // Called just before, so that the other instance has just cached the session.
      assertEnvelope(await there(who, 'GET', 'roles'), 0);
      await end();
      const since = performance.now();
      let askedMs = 0;
      let answer = await there(who, 'GET', 'roles');
      // Every later request must be refused, however long the answer to an earlier one took.
      while (answer.status === 200 && askedMs < noticedMsMax) {
        await sleep(20);
        askedMs = performance.now() - since;
        answer = await there(who, 'GET', 'roles');
      }
      t.diagnostic(`${what}: noticed on the other instance after ${Math.round(askedMs)} ms`);
      assertEnvelope(answer, code);
    }),
  );
});
