/**
 * Data spaces of versions: separate by default, shared, or started as a copy; tokens belong to one version
 * (docs/reference/tenancy.md#data-spaces).
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { walkDemoSignIn } from '../../src/demo/sign-in.ts';
import { assertEnvelope } from '../harness/cases.ts';
import { isRecord, valueAt } from '../harness/match.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { kindTable } from './tables.ts';

type Version = 'first' | 'apart' | 'shared' | 'copied';

const numbers: Readonly<Record<Version, string>> = {
  first: app.appVersion,
  apart: '2.0.0',
  shared: '2.1.0',
  copied: '2.2.0',
};
const tokens = new Map<Version, string>();

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice'] });
  const { versions } = world.server.directory;
  tokens.set('first', world.token('alice'));
  const columns = kindTable.columns.map((column) => ({ ...column, fullText: column.colName === 'label' }));
  await call('first', 'POST', 'schemas', { tables: [{ ...kindTable, columns }] });
  await call('first', 'POST', 'data/batch/addData', {
    transactionId: 'before',
    objectName: 'Kind',
    data: [
      { objectId: 'k1', label: 'before', scopeType: '3' },
      { objectId: 'k2', label: 'gone', scopeType: '3' },
    ],
  });
  const create = (version: Version, tables?: { shareWith: string } | { copyOf: string }) =>
    versions.create({
      companyId: 1,
      appId: app.appId,
      version: numbers[version],
      ...(tables === undefined ? {} : { tables }),
    });
  await create('apart');
  await create('shared', { shareWith: numbers.first });
  await create('copied', { copyOf: numbers.first });
  for (const version of ['apart', 'shared', 'copied'] as const) {
    const { userTokens } = await walkDemoSignIn({
      url: world.server.url,
      companyId: 1,
      login: 'alice',
      appVersion: numbers[version],
      deviceUDID: `device-${version}`,
    });
    world.secrets.push({ text: userTokens, what: `a token of ${version}`, known: [] });
    tokens.set(version, userTokens);
  }
});
after(() => world.close());

function call(version: Version, method: string, path: string, body?: object, tokenOf: Version = version) {
  const prefix = `/api/1/${app.appId}/${numbers[version].replaceAll('.', '_')}`;
  return world.call(method, `${prefix}/${path}`, {
    token: tokens.get(tokenOf),
    ...(body === undefined ? {} : { body }),
  });
}

async function labels(version: Version, words?: string): Promise<(string | null)[]> {
  const where = words !== undefined && { where: { expression: { source: 'MATCH(#k.label, ?)', params: [words] } } };
  const answer = await call(version, 'POST', 'data/query/Kind', { from: { phyName: 'Kind', alias: 'k' }, ...where });
  assert.ok(isRecord(answer.json) && Array.isArray(answer.json.k), answer.text);
  return answer.json.k.map((row) => row.label);
}

const add = (version: Version, body: object) =>
  call(version, 'POST', 'data/batch/addData', { objectName: 'Kind', ...body });

test('a token of one version is invalid in the others', async () => {
  for (const version of Object.keys(numbers) as Version[]) {
    for (const other of Object.keys(numbers) as Version[]) {
      const answer = await call(version, 'GET', 'roles', undefined, other);
      assertEnvelope(answer, version === other ? 0 : 121);
    }
  }
});

test('a version has its own tables by default', async () => {
  assertEnvelope(await call('apart', 'GET', 'data/Kind/k1'), 102);
  assertEnvelope(
    await call('apart', 'POST', 'schemas', {
      tables: [{ ...kindTable, columns: [{ colName: 'label', type: 'integer' }] }],
    }),
    0,
  );
  assertEnvelope(
    await add('apart', { transactionId: 'before', data: [{ objectId: 'k1', label: '5', scopeType: '3' }] }),
    0,
  );
  assert.deepEqual(await labels('apart'), ['5']);
  assert.deepEqual(await labels('first'), ['before', 'gone']);
});

test('a copy begins with the same records and is then independent', async () => {
  assert.deepEqual(await labels('copied'), ['before', 'gone']);
  const got = await call('copied', 'GET', 'data/Kind/k1');
  const serverUpdateTime = valueAt(got.json, 'Kind.0.serverUpdateTime');
  assertEnvelope(
    await call('copied', 'POST', 'data/batch/updateData', {
      objectName: 'Kind',
      data: [{ objectId: 'k1', label: 'copied', serverUpdateTime }],
    }),
    0,
  );
  assertEnvelope(await add('copied', { data: [{ objectId: 'k3', label: 'only here', scopeType: '3' }] }), 0);
  assert.deepEqual(await labels('copied'), ['copied', 'gone', 'only here']);
  assert.deepEqual([await labels('copied', 'before'), await labels('copied', 'gon*')], [[], ['gone']]);
  assert.deepEqual([await labels('first', 'before'), await labels('copied', 'only here')], [['before'], ['only here']]);
  assert.deepEqual(await labels('first'), ['before', 'gone']);
});

test('a shared data space is one: records, tables and history', async () => {
  assert.deepEqual(await labels('shared'), ['before', 'gone']);
  assertEnvelope(await add('shared', { transactionId: 'before', data: [{ objectId: 'k9' }] }), 211);
  assertEnvelope(
    await add('shared', { transactionId: 'from shared', data: [{ objectId: 'k4', label: 'shared', scopeType: '3' }] }),
    0,
  );
  assert.deepEqual(await labels('first'), ['before', 'gone', 'shared']);
  assertEnvelope(await add('first', { transactionId: 'from shared', data: [{ objectId: 'k5' }] }), 211);
  assertEnvelope(await call('shared', 'POST', 'schemas', { tables: [{ ...kindTable, name: 'Added' }] }), 0);
  assertEnvelope(await call('first', 'GET', 'data/Added/x'), 130);
  assertEnvelope(await call('copied', 'GET', 'data/Added/x'), 102);
});
