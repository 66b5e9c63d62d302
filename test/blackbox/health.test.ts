/** Requests of operators and tools: liveness, readiness, the description of the interface, and a clean stop. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import { isRecord, valueAt } from '../harness/match.ts';
import { addRecords, defineTables, send } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';
import { kindTable } from './tables.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
}

let world: World;
let closed = false;
before(async () => {
  world = await startWorld({ people: ['alice'], settings: { queryTimeMs: 1_000 } });
  await defineTables(world, 'alice', [kindTable]);
});
after(async () => {
  if (!closed) await world.close();
});

/** Every operation of docs/reference/operations.md. */
const operations = [
  'POST /data/query',
  'POST /data/batch/addData',
  'POST /data/batch/updateData',
  'POST /data/batch/deleteData',
  'POST /data/batch/putData',
  'POST /data/batch',
  'GET /data/{}/{}',
  'POST /data/query/{}',
  'POST /data/query/{}/count',
  'GET /anonymousTokens',
  'POST /devices',
  'GET /auth/oidc/{}/Authenticate',
  'POST /auth/oidc/{}/Login',
  'POST /auth/refresh',
  'POST /auth/logout',
  'GET /logLevel',
  'POST /logs',
  'GET /roles',
  'POST /schemas',
  'GET /schemas',
];

test('/livez and /readyz', async () => {
  for (const path of ['/livez', '/readyz']) assert.equal((await world.call('GET', path)).status, 200, path);
});

test('/openapi.json requires the members of a query that the operation requires', async () => {
  const { json } = await world.call('GET', '/openapi.json');
  const required = (path: string, method: string) =>
    (valueAt(json, `paths./api/{companyId}/{appId}/{appVersion}${path}.${method}.parameters`) as Parameter[])
      .filter((one) => one.in === 'query')
      .map((one) => [one.name, one.required]);
  assert.deepEqual(required('/groups', 'get'), [
    ['offset', false],
    ['limit', false],
  ]);
  assert.deepEqual(required('/anonymousTokens', 'get'), [
    ['appKey', true],
    ['deviceUDID', true],
  ]);
});

test('/openapi.json is OpenAPI 3.1 and names every operation', async () => {
  const answer = await world.call('GET', '/openapi.json');
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  const description = answer.json as Record<string, unknown>;
  assert.match(String(description.openapi), /^3\.1\./);
  assert.ok(isRecord(description.info) && isRecord(description.paths));
  const named = Object.entries(description.paths).flatMap(([path, item]) =>
    Object.keys(item as object).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}').replace(/^\/api\/\{\}\/\{\}\/\{\}/, '')}`,
    ),
  );
  for (const operation of operations) assert.ok(named.includes(operation), operation);
});

test('/openapi.json: every path parameter is described, every reference leads somewhere, every operation has answers', async () => {
  const description = (await world.call('GET', '/openapi.json')).json as Record<string, unknown>;
  const ids: unknown[] = [];
  for (const [path, item] of Object.entries(
    description.paths as Record<string, Record<string, Record<string, unknown>>>,
  )) {
    for (const [method, operation] of Object.entries(item)) {
      if (!['get', 'post', 'put', 'delete'].includes(method)) continue;
      ids.push(operation.operationId);
      const parameters = [...((operation.parameters ?? []) as Record<string, unknown>[])];
      for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
        const found = parameters.find((parameter) => parameter.name === name && parameter.in === 'path');
        assert.ok(found?.required === true, `${method} ${path}: ${name}`);
      }
      assert.ok(
        isRecord(operation.responses) && Object.keys(operation.responses).some((status) => status.startsWith('2')),
        `${method} ${path}`,
      );
    }
  }
  assert.equal(new Set(ids).size, ids.length, 'Operation ids are unique.');
  for (const [, reference] of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = valueAt(description, (reference as string).replaceAll('/', '.'));
    assert.ok(found !== undefined, `#/${reference}`);
  }
});

test('closing answers running requests, accepts no others, and ends in time', async () => {
  await addRecords(
    world,
    'alice',
    'Kind',
    Array.from({ length: 400 }, (_, index) => ({ label: 'x', rank: String(index) })),
  );
  const everyPair = (entityAlias: string) => ({
    type: 'JOIN',
    entity: 'Kind',
    entityAlias,
    expression: { source: '1 = 1', params: [] },
  });
  const source = '#k.rank + #a.rank + #b.rank + #c.rank = -1';
  const slow = send(world, 'alice', 'POST', 'data/query/Kind', {
    from: { phyName: 'Kind', alias: 'k' },
    join: ['a', 'b', 'c'].map(everyPair),
    where: { expression: { source, params: [] } },
  });
  // A service that has answered these has read the slow request before.
  for (let round = 0; round < 20; round++) await world.call('GET', '/livez');
  const end = world.server.close();
  const answer = await slow;
  assertEnvelope(answer, 212);
  assert.equal(answer.status, 503, answer.text);
  const late = new Promise((resolve) => setTimeout(resolve, 30_000, 'late').unref());
  assert.notEqual(
    await Promise.race([end, late]),
    'late',
    'It has not ended 30 s after the last answer, with a client that keeps its connection.',
  );
  await world.server.close();
  await assert.rejects(send(world, 'alice', 'GET', 'roles'));
  closed = true;
  await world.close();
});
