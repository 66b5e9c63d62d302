/** Every operation in its successful form: exactly the documented names (docs/reference/operations.md). */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Case, runCases } from '../harness/cases.ts';
import { valueAt } from '../harness/match.ts';
import { defineTables } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';

const table = {
  name: 'Thing',
  primary_key: 'objectId',
  columns: [
    { colName: 'label', type: 'varchar', fieldLength: 50 },
    { colName: 'size', type: 'integer' },
  ],
};

let world: World;
before(async () => {
  world = await startWorld({
    arrange: async ({ directory }) => {
      await directory.versions.update(2, app.appId, app.appVersion, { logLevel: 'ERROR' });
    },
  });
  await defineTables(world, 'alice', [table]);
});
after(() => world.close());

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
const record = {
  objectId: 't1',
  CreateTime: '1390462476516',
  UpdateTime: '1390462476517',
  serverCreateTime: '{{created}}',
  serverUpdateTime: '{{updated}}',
  serverRecordStatus: '1',
  scopeType: '3',
  groupIds: '{{alice.groups}}',
  createUserId: '{{alice.id}}',
  label: 'one',
  size: '10',
};
const envelope = { errCode: 0, status: 'OK', description: null };
const thingQuery = { from: { phyName: 'Thing', alias: 'x' } };

const dataCases: readonly Case[] = [
  {
    name: 'addData',
    method: 'POST',
    path: 'data/batch/addData',
    body: {
      transactionId: 't',
      objectName: 'Thing',
      data: [
        {
          objectId: 't1',
          CreateTime: '1390462476516',
          UpdateTime: '1390462476517',
          scopeType: '3',
          groupIds: '{{alice.groups}}',
          label: 'one',
          size: '10',
        },
        { objectId: null, scopeType: '1' },
      ],
    },
    code: 0,
    json: {
      ...envelope,
      results: [
        { objectId: 't1', serverCreateTime: time, serverUpdateTime: time },
        { objectId: /^Thing_[0-9a-f]+$/, serverCreateTime: time, serverUpdateTime: time },
      ],
    },
    keep: {
      created: 'results.0.serverCreateTime',
      updated: 'results.0.serverUpdateTime',
      made: 'results.1.objectId',
      'made.time': 'results.1.serverUpdateTime',
    },
  },
  { name: 'single GET', method: 'GET', path: 'data/Thing/t1', code: 'bare', exact: { Thing: [record] } },
  {
    name: 'single GET by another user',
    as: 'bob',
    method: 'GET',
    path: 'data/Thing/t1',
    code: 'bare',
    exact: { Thing: [record] },
  },
  {
    name: 'expression query',
    as: 'carol',
    method: 'POST',
    path: 'data/query/Thing',
    body: thingQuery,
    code: 'bare',
    exact: { x: [record] },
  },
  {
    name: 'count',
    as: 'carol',
    method: 'POST',
    path: 'data/query/Thing/count',
    body: { ...thingQuery, range: { offset: '5', limit: '1' } },
    code: 0,
    json: { ...envelope, count: 1 },
  },
  {
    name: 'older query',
    as: 'carol',
    method: 'POST',
    path: 'data/query',
    body: { objectNames: ['Thing'], returnedObjectNames: ['Thing'] },
    code: 0,
    exact: { ...envelope, results: [{ Thing: [record] }], counter: 1, pageIndex: 1, totalPage: 1 },
  },
  {
    name: 'updateData',
    method: 'POST',
    path: 'data/batch/updateData',
    body: { objectName: 'Thing', data: [{ objectId: 't1', label: 'two', serverUpdateTime: '{{updated}}' }] },
    code: 0,
    json: { ...envelope, results: [{ objectId: 't1', serverCreateTime: '{{created}}', serverUpdateTime: time }] },
    keep: { updated: 'results.0.serverUpdateTime' },
  },
  {
    name: 'the record after the update',
    method: 'GET',
    path: 'data/Thing/t1',
    code: 'bare',
    exact: { Thing: [{ ...record, label: 'two' }] },
  },
  {
    name: 'deleteData',
    method: 'POST',
    path: 'data/batch/deleteData',
    body: {
      objectName: 'Thing',
      objectIds: [
        { objectId: 't1', serverUpdateTime: '{{updated}}' },
        { objectId: '{{made}}', serverUpdateTime: '{{made.time}}' },
      ],
    },
    code: 0,
    json: {
      ...envelope,
      results: [
        { objectId: 't1', serverCreateTime: '{{created}}', serverUpdateTime: time },
        { objectId: '{{made}}', serverCreateTime: time, serverUpdateTime: time },
      ],
    },
  },
  {
    name: 'nothing is left',
    method: 'POST',
    path: 'data/query/Thing',
    body: thingQuery,
    code: 'bare',
    exact: { x: [] },
  },
];

describe('data', () => {
  runCases(() => world, dataCases);

  test('batch results have exactly the three fields', async () => {
    const answer = await world.call('POST', `${world.prefix}/data/batch/addData`, {
      token: world.token('alice'),
      body: { objectName: 'Thing', data: [{ objectId: 'fields' }] },
    });
    assert.deepEqual(Object.keys(answer.json as object).sort(), ['description', 'errCode', 'results', 'status']);
    assert.deepEqual(Object.keys(valueAt(answer.json, 'results.0') as object).sort(), [
      'objectId',
      'serverCreateTime',
      'serverUpdateTime',
    ]);
  });

  test('count has the envelope and count', async () => {
    const answer = await world.call('POST', `${world.prefix}/data/query/Thing/count`, {
      token: world.token('alice'),
      body: thingQuery,
    });
    const { results, ...rest } = answer.json as Record<string, unknown>;
    assert.deepEqual(Object.keys(rest).sort(), ['count', 'description', 'errCode', 'status']);
    assert.ok(results === undefined || results === null || Array.isArray(results));
    assert.equal(rest.count, 1);
  });
});

describe('roles', () => {
  runCases(
    () => world,
    [
      {
        name: 'the built-in ones, then the custom ones of the own company',
        as: 'bob',
        method: 'GET',
        path: 'roles',
        code: 0,
        json: {
          ...envelope,
          results: [
            { roleId: 1, roleName: 'App Admin', description: /./, companyId: null },
            { roleId: 2, roleName: 'Super Admin', description: /./, companyId: null },
            { roleId: 3, roleName: 'Admin', description: /./, companyId: null },
            { roleId: 4, roleName: 'Manager', description: /./, companyId: null },
            { roleId: 5, roleName: 'User', description: /./, companyId: null },
            { roleId: 6, roleName: 'Developer', description: /./, companyId: null },
            { roleId: 100, roleName: 'Auditor', description: /./, companyId: 1 },
          ],
        },
      },
      {
        name: 'custom roles of another company are not listed',
        as: 'dave',
        method: 'GET',
        path: '{{foreignPrefix}}/roles',
        code: 0,
        hasNot: ['Auditor', '"companyId":1'],
      },
    ],
  );
});

describe('logs', () => {
  runCases(
    () => world,
    [
      {
        name: 'the level is MONITOR',
        as: 'bob',
        method: 'GET',
        path: 'logLevel?token={{bob.token}}',
        code: 0,
        exact: { ...envelope, result: 'MONITOR' },
      },
      {
        name: 'the level in a version that was set to ERROR',
        as: 'dave',
        method: 'GET',
        path: '{{foreignPrefix}}/logLevel',
        code: 0,
        exact: { ...envelope, result: 'ERROR' },
      },
      {
        name: 'a version at level ERROR still keeps MONITOR',
        as: 'dave',
        method: 'POST',
        path: '{{foreignPrefix}}/logs',
        body: { logLevel: 'MONITOR', message: 'from dave' },
        code: 0,
        exact: envelope,
      },
      {
        name: 'send ERROR',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR', message: 'it broke: 💥' },
        code: 0,
        exact: envelope,
      },
      {
        name: 'send MONITOR',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'MONITOR', message: 'it works' },
        code: 0,
        exact: envelope,
      },
      {
        name: 'send without a message',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR' },
        code: 0,
        exact: envelope,
      },
      {
        name: 'the level in lower case',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'error', message: 'x' },
        code: 0,
      },
      {
        name: 'another level',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'DEBUG', message: 'x' },
        code: 131,
        has: ['logLevel', 'DEBUG'],
      },
      {
        name: 'no level',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { message: 'x' },
        code: 131,
        has: ['logLevel'],
      },
      {
        name: 'a message of 64 KiB',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR', message: 'x'.repeat(65_536) },
        code: 0,
      },
      {
        name: 'a larger message',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR', message: 'x'.repeat(65_537) },
        code: 131,
        has: ['message', /65[ ,.]?536|64 KiB/],
      },
      {
        name: 'a message that is an object',
        as: 'bob',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR', message: { a: 1 } },
        code: 131,
        has: ['message'],
      },
      {
        name: 'an anonymous caller may send none',
        as: 'nobody',
        method: 'POST',
        path: 'logs',
        body: { logLevel: 'ERROR', message: 'x' },
        code: 121,
      },
    ],
  );

  test('entries answered OK are stored, with time, company, app, version, user, device, level and message', async () => {
    const { build } = world.server.storage.logs;
    const rows = await world.server.storage.logs.read(build.selectFrom('entry').selectAll().orderBy('id'));
    const ours = rows.filter((row) => row.message.startsWith('it '));
    assert.deepEqual(
      ours.map(({ company_id, app_id, version, user_id, device_udid, level, message }) => ({
        company_id,
        app_id,
        version,
        user_id: String(user_id),
        device_udid,
        level,
        message,
      })),
      ['ERROR', 'MONITOR'].map((level) => ({
        company_id: 1,
        app_id: world.prefix.split('/')[3],
        version: '1.0.0',
        user_id: world.person('bob').id,
        device_udid: 'device-of-bob',
        level,
        message: level === 'ERROR' ? 'it broke: 💥' : 'it works',
      })),
    );
    assert.deepEqual(
      rows.filter((row) => row.company_id === 2).map(({ level, message }) => `${level}: ${message}`),
      ['MONITOR: from dave'],
    );
    assert.ok(rows.every((row) => Math.abs(row.time - Date.now()) < 600_000));
    assert.ok(rows.every((row) => !row.message.includes('x'.repeat(65_537))));
  });
});
