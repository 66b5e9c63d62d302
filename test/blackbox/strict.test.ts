/** `Prefer: handling=strict` (RFC 7240): refuses what is otherwise ignored; without the preference nothing changes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dataOperations } from '../../src/http/api/data.operations.ts';
import { clientLogOperations } from '../../src/http/api/logs.operations.ts';
import type { Operation } from '../../src/operations/define.ts';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { valueAt } from '../harness/match.ts';
import { addRecords, defineTables } from '../harness/requests.ts';
import { app, startWorld, type Who, type World } from '../harness/world.ts';
import { itemTable } from './tables.ts';

let world: World;
/** A user of company 2, whose version is strict by default. */
const strictOne = 'dave';
before(async () => {
  world = await startWorld({
    people: ['alice', strictOne],
    arrange: ({ directory }) =>
      directory.versions.update(2, app.appId, app.appVersion, { strictHandling: true }).then(() => undefined),
  });
  for (const who of ['alice', strictOne] as const) {
    await defineTables(world, who, [itemTable]);
    await addRecords(world, who, 'Item', [{ objectId: 'i1', name: 'apple', scopeType: '3' }]);
  }
});
after(() => world.close());

const from = { phyName: 'Item', alias: 't' };
const expression = { source: '#t.name = ?', params: ['apple'] };
const time = '2014-01-23T14:44:36.516+07:00';
const condition = { type: 1, tableName: 'Item', columnName: 'name', conditionValue: ['apple'] };
const older = { objectNames: 'Item', returnedObjectNames: 'Item' };

interface Unknown {
  readonly path: string;
  /** Absent: a GET. */
  readonly body?: object;
  readonly code: number;
  readonly says: string;
}

/** Unknown members, at every depth and in every position. */
const unknowns: readonly Unknown[] = [
  {
    path: 'data/query/Item',
    body: { from, orderby: [{ column: '#t.name' }] },
    code: 132,
    says: 'body: there is no member "orderby"; did you mean "orderBy"?',
  },
  {
    path: 'data/query/Item',
    body: { from: { ...from, as: 't' } },
    code: 132,
    says: 'from: there is no member "as"; known are phyName, alias.',
  },
  {
    path: 'data/query/Item',
    body: { form: from },
    code: 132,
    says: 'body: there is no member "form"; did you mean "from"?',
  },
  {
    path: 'data/query/Item',
    body: { from, where: { expression, params: [] } },
    code: 132,
    says: 'where: there is no member "params"; known are expression.',
  },
  {
    path: 'data/query/Item',
    body: { from, where: { expression: { ...expression, parms: [] } } },
    code: 132,
    says: 'where.expression: there is no member "parms"; did you mean "params"?',
  },
  {
    path: 'data/query/Item',
    body: {
      from,
      join: [
        { entity: 'Item', entityAlias: 'u', type: 'JOIN', expression: { source: '#u.name = #t.name' }, alias: 'u' },
      ],
    },
    code: 132,
    says: 'join[0]: there is no member "alias"',
  },
  {
    path: 'data/query/Item',
    body: { from, orderBy: [{ column: '#t.name', typ: 'DESC' }] },
    code: 132,
    says: 'orderBy[0]: there is no member "typ"; did you mean "type"?',
  },
  {
    path: 'data/query/Item',
    body: { from, range: { offset: 0, limit: 1, limits: 2 } },
    code: 132,
    says: 'range: there is no member "limits"; did you mean "limit"?',
  },
  {
    path: 'data/query/Item?limit=1',
    body: { from },
    code: 132,
    says: 'query: there is no query parameter "limit"; none is taken.',
  },
  { path: 'data/query/Item/count', body: { from, limit: 1 }, code: 132, says: 'body: there is no member "limit"' },
  {
    path: 'data/query',
    body: { ...older, maxRecords: 1 },
    code: 132,
    says: 'body: there is no member "maxRecords"; did you mean "maxRecord"?',
  },
  {
    path: 'data/query',
    body: { ...older, condition: { whereConditions: [{ searchConditions: [{ ...condition, ignoreCase: true }] }] } },
    code: 132,
    says: 'condition.whereConditions[0].searchConditions[0]: there is no member "ignoreCase"; did you mean "isIgnoreCase"?',
  },
  {
    path: 'data/query',
    body: { ...older, recordId: '' },
    code: 132,
    says: 'recordId: expected a value, got empty text',
  },
  {
    path: 'data/batch/addData',
    body: { objectName: 'Item', data: [{}], transactionID: 'x' },
    code: 131,
    says: 'body: there is no member "transactionID"; did you mean "transactionId"?',
  },
  {
    path: 'data/batch/addData',
    body: { objectName: 'Item', data: [{}], transactionId: '' },
    code: 131,
    says: 'transactionId: expected a value, got empty text',
  },
  {
    path: 'data/batch/addData',
    body: { objectName: 'Item', data: [{}, { objectId: '' }] },
    code: 131,
    says: 'data[1].objectId: expected a value, got empty text',
  },
  {
    path: 'data/batch/updateData',
    body: { transactionId: '', objectName: 'Item', data: [{ objectId: 'i9', serverUpdateTime: time }] },
    code: 131,
    says: 'transactionId: expected a value, got empty text',
  },
  {
    path: 'data/batch/deleteData',
    body: { transactionId: '', objectName: 'Item', objectIds: [{ objectId: 'i9', serverUpdateTime: time }] },
    code: 198,
    says: 'transactionId: expected a value, got empty text',
  },
  {
    path: 'data/batch/deleteData',
    body: { objectName: 'Item', objectIds: [{ objectId: 'i9', serverUpdateTime: time, name: 'x' }] },
    code: 198,
    says: 'objectIds[0]: there is no member "name"; known are objectId, serverUpdateTime.',
  },
  { path: 'data/Item/i1?tokn=x', code: 198, says: 'query: there is no query parameter "tokn"; did you mean "token"?' },
  { path: 'data/Item/i1?values=Typed', code: 198, says: 'values: expected "typed" or "text", got "Typed".' },
  { path: 'logs', body: { logLevel: 'ERROR', msg: 'x' }, code: 131, says: 'body: there is no member "msg"' },
  { path: 'logLevel?level=x', code: 131, says: 'query: there is no query parameter "level"' },
  { path: 'roles?token=x', code: 132, says: 'query: there is no query parameter "token"' },
  { path: 'groups?limits=5', code: 131, says: 'query: there is no query parameter "limits"; did you mean "limit"?' },
  { path: 'schemas', body: { tables: [], reset: true }, code: 131, says: 'body: there is no member "reset"' },
];

function send(who: Who, { path, body }: Pick<Unknown, 'path' | 'body'>, prefer?: string): Promise<Answer> {
  return world.call(body === undefined ? 'GET' : 'POST', `${world.prefixOf(who)}/${path}`, {
    token: world.token(who),
    ...(body === undefined ? {} : { body }),
    ...(prefer === undefined ? {} : { headers: { prefer } }),
  });
}

describe('what is not known', () => {
  for (const unknown of unknowns) {
    test(`${unknown.path}: ${unknown.says}`, async () => {
      const strict = await send('alice', unknown, 'handling=strict');
      assertEnvelope(strict, unknown.code);
      assert.equal(strict.status, 400);
      assert.ok(String(valueAt(strict.json, 'description')).startsWith(unknown.says), strict.text);
      assert.equal(strict.headers['preference-applied'], 'handling=strict');

      const silent = await send('alice', unknown);
      assert.ok(!silent.text.includes(unknown.says), silent.text);
      assert.equal(silent.headers['preference-applied'], undefined);

      const byDefault = await send(strictOne, unknown);
      assert.equal(byDefault.text, strict.text);
      assert.equal(byDefault.headers['preference-applied'], undefined);

      const lenient = await send(strictOne, unknown, 'handling=lenient');
      assert.ok(!lenient.text.includes(unknown.says), lenient.text);
      assert.equal(lenient.headers['preference-applied'], 'handling=lenient');
    });
  }
});

test('known members are accepted under strict handling as usual', async () => {
  const token = world.token('alice');
  const good: readonly Pick<Unknown, 'path' | 'body'>[] = [
    {
      path: 'data/query/Item',
      body: { from, where: { expression }, orderBy: null, range: { offset: '0', limit: '1' } },
    },
    { path: 'data/query/Item/count', body: { from, range: { offset: 'passed over', what: 'ever' } } },
    {
      path: 'data/query',
      body: { ...older, condition: { whereConditions: [{ searchConditions: [condition] }], scope: 3 } },
    },
    {
      path: 'data/batch/addData',
      body: { transactionId: null, objectName: 'Item', data: [{ objectId: null, createUserId: '7', scopeType: 1 }] },
    },
    { path: `data/Item/i1?token=${token}` },
    { path: 'logs', body: { logLevel: 'ERROR' } },
    { path: 'groups?limit=5&offset=0' },
  ];
  for (const request of good) assert.equal((await send('alice', request, 'handling=strict')).status, 200, request.path);
});

test('every operation that takes the token in the query accepts its other parameters beside it', async () => {
  const operations: readonly Operation[] = Object.values({ ...dataOperations, ...clientLogOperations });
  const taking = operations.filter(({ tokenInQuery }) => tokenInQuery);
  assert.deepEqual(taking.map(({ name }) => name).sort(), ['getLogLevel', 'getRecord']);
  for (const { path, query } of taking) {
    const parameters = new URLSearchParams({ token: world.token(strictOne) });
    for (const name of Object.keys(query.properties)) parameters.set(name, 'typed');
    const url = `${world.prefixOf(strictOne)}${path.replace(':objectName', 'Item').replace(':objectId', 'i1')}`;
    const answer = await world.call('GET', `${url}?${parameters}`);
    assert.equal(answer.status, 200, answer.text);
  }
  const typed = await send(strictOne, { path: 'data/Item/i1?values=typed' });
  assert.equal(valueAt(typed.json, 'Item.0.scopeType'), 3);
  const asText = await send(strictOne, { path: 'data/Item/i1?values=text' });
  assert.equal(valueAt(asText.json, 'Item.0.scopeType'), '3');
});

test('an unknown preference has no effect, and sign-in is strict on request', async () => {
  const misspelt = { path: 'data/query/Item', body: { from, orderby: [] } };
  const other = await send('alice', misspelt, 'respond-async, handling=harsh');
  assert.deepEqual([other.status, other.headers['preference-applied']], [200, undefined]);
  const query = `appKey=${app.appKey}&deviceUDID=d&devicename=x`;
  const issued = (prefer: string) =>
    world.call('GET', `${world.prefix}/anonymousTokens?${query}`, { headers: { prefer } });
  assertEnvelope(await issued('handling=strict'), 198);
  assertEnvelope(await issued('handling=lenient'), 0);
});

test('a processed batch answers 211 before its items are checked, strict or not', async () => {
  const body = { transactionId: 'strict-1', objectName: 'Item', data: [{ scopeType: 1 }] };
  assert.equal((await send('alice', { path: 'data/batch/addData', body }, 'handling=strict')).status, 200);
  const other = { ...body, data: [{ objectId: '' }] };
  assertEnvelope(await send('alice', { path: 'data/batch/addData', body: other }, 'handling=strict'), 211);
});
