/** Settings that change the protocol: errorStatus, tokenHeaders, basePath (docs/reference/requests.md). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCases } from '../harness/cases.ts';
import { openClient } from '../harness/client.ts';
import { addRecords, defineTables } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { itemTable } from './tables.ts';

let world: World;
before(async () => {
  world = await startWorld({
    people: ['alice', 'bob'],
    settings: { errorStatus: 'ok', tokenHeaders: ['X-Brand-Token', 'x-other-token'], basePath: '/context/root' },
  });
  await defineTables(world, 'alice', [itemTable]);
  await addRecords(world, 'alice', 'Item', [{ objectId: 'i1', scopeType: '3' }]);
});
after(() => world.close());

test('the address names the context root', () => {
  assert.match(world.server.url, /\/context\/root$/);
});

runCases(
  () => world,
  [
    // errorStatus "ok": every envelope is sent with 200
    { name: 'errorStatus ok: success', method: 'GET', path: 'roles', code: 0, status: 200 },
    { name: 'errorStatus ok: no token', as: 'nobody', method: 'GET', path: 'roles', code: 121, status: 200 },
    {
      name: 'errorStatus ok: broken JSON',
      method: 'POST',
      path: 'data/batch/addData',
      raw: '{',
      code: 131,
      status: 200,
    },
    { name: 'errorStatus ok: unknown table', method: 'GET', path: 'data/Nothing/x', code: 102, status: 200 },
    { name: 'errorStatus ok: no record', method: 'GET', path: 'data/Item/x', code: 130, status: 200 },
    { name: 'errorStatus ok: a query', method: 'POST', path: 'data/query/Item', body: {}, code: 198, status: 200 },
    { name: 'errorStatus ok: no such request', method: 'GET', path: 'nothing', code: 199, status: 200 },
    { name: 'errorStatus ok: no such address', method: 'GET', path: '/nothing', code: 199, status: 200 },
    {
      name: 'errorStatus ok: not permitted',
      as: 'bob',
      method: 'POST',
      path: 'schemas',
      body: { tables: [] },
      code: 122,
      status: 200,
    },
    {
      name: 'errorStatus ok: a conflict',
      method: 'POST',
      path: 'data/batch/deleteData',
      body: { objectName: 'Item', objectIds: [{ objectId: 'i1', serverUpdateTime: '2001-01-01T00:00:00Z' }] },
      code: 130,
      status: 200,
      json: { results: [{ objectId: '-1', errCode: 130 }] },
    },
    {
      name: 'errorStatus ok: too large',
      method: 'POST',
      path: 'data/batch/addData',
      raw: 'x'.repeat(9 * 1024 * 1024),
      code: 131,
      status: 200,
    },
    { name: 'errorStatus ok: a path that is not UTF-8', method: 'GET', path: 'data/Item/%ff', code: 199, status: 200 },

    // tokenHeaders
    {
      name: 'tokenHeaders: the first',
      as: 'nobody',
      method: 'GET',
      path: 'data/Item/i1',
      headers: { 'x-brand-token': '{{alice.token}}' },
      code: 'bare',
    },
    {
      name: 'tokenHeaders: the second',
      as: 'nobody',
      method: 'GET',
      path: 'roles',
      headers: { 'X-Other-Token': '{{alice.token}}' },
      code: 0,
    },
    { name: 'tokenHeaders: service-token still works', method: 'GET', path: 'roles', code: 0 },
    {
      name: 'tokenHeaders: both, equal',
      method: 'GET',
      path: 'roles',
      headers: { 'x-brand-token': '{{alice.token}}' },
      code: 0,
    },
    {
      name: 'tokenHeaders: garbage',
      as: 'nobody',
      method: 'GET',
      path: 'roles',
      headers: { 'x-brand-token': 'garbage' },
      code: 121,
      status: 200,
    },
    {
      name: 'tokenHeaders: a branded header and another token in the query',
      as: 'nobody',
      method: 'GET',
      path: 'data/Item/i1?token={{bob.token}}',
      headers: { 'x-brand-token': '{{alice.token}}' },
      code: 121,
      status: 200,
    },
  ],
);

test('errorStatus ok: the administration interface keeps its statuses', async () => {
  const client = openClient(world.server.url);
  try {
    const answers = await Promise.all(['me', 'nothing'].map((path) => client.call('GET', `/admin/api/${path}`)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 404],
    );
  } finally {
    client.close();
  }
});

test('basePath: nothing answers outside the context root', async () => {
  const outside = openClient(new URL(world.server.url).origin);
  try {
    const answer = await outside.call('GET', `/api/1/${app.appId}/1_0_0/roles`, { token: world.token('alice') });
    assert.match(answer.text, /"errCode":199/);
  } finally {
    outside.close();
  }
});
