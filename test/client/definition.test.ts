/** Types of tables from a service and from a file, and the client's report when the tables have changed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { driftOf } from '../../packages/client/src/definition.ts';
import { TypesUsageError, writeTypes } from '../../packages/client/src/types/main.ts';
import { typescriptOf } from '../../packages/client/src/types/typescript.ts';
import { defineTables } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { tables } from './tables.ts';
import { definition, type Tables } from './types.ts';

let world: World;
let folder: string;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob'] });
  await defineTables(world, 'alice', tables);
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-types-'));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

const clientOf = (who: 'alice' | 'bob') =>
  createClient<Tables>({
    url: world.server.url,
    companyId: 1,
    appId: app.appId,
    appVersion: app.appVersion,
    session: world.token(who),
  });

test('the command writes the types of a service with its hash, and checks them', async () => {
  const out = join(folder, 'rowhouse.ts');
  const place = { url: world.server.url, company: '1', app: app.appId, version: app.appVersion };
  await writeTypes({ ...place, out }, world.token('alice'));
  const text = readFileSync(out, 'utf8');
  const info = await world.call('GET', `${world.prefix}/schemas/info`, { token: world.token('alice') });
  const { hash } = (info.json as { results: { hash: string } }).results;
  assert.ok(text.includes(`hash: '${hash}'`), text);
  assert.ok(!text.includes(world.token('alice')));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${world.token('alice')}\n`);
  assert.equal((await writeTypes({ ...place, out, check: true, tokenFile }, undefined)).isStale, false);
  writeFileSync(out, text.replace('title: string', 'titel: string'));
  assert.equal((await writeTypes({ ...place, out, check: true }, world.token('alice'))).isStale, true);
  await assert.rejects(writeTypes({ ...place, out }, undefined), TypesUsageError);
  await assert.rejects(writeTypes({ ...place, url: undefined, out }, 'token'), TypesUsageError);
});

test('a file of tables gives the same types as the service that has them', async () => {
  const described = await world.call('GET', `${world.prefix}/schemas`, { token: world.token('alice') });
  const { results } = described.json as { results: Record<string, unknown>[] };
  const file = join(folder, 'tables.json');
  writeFileSync(file, JSON.stringify({ tables: results.map(({ primary_key: _, ...table }) => table) }));
  const { text } = await writeTypes({ tables: file }, undefined);
  assert.equal(text, typescriptOf(results));
});

test('a table may have its own spelling of the times of the client', () => {
  const columns = [
    { colName: 'createTime', type: 'text' },
    { colName: 'updateTime', type: 'text' },
  ];
  const text = typescriptOf([{ name: 'note', columns }]);
  assert.ok(text.includes("export interface NoteRow extends Omit<rowhouse.SystemRow, 'CreateTime' | 'UpdateTime'> {"));
});

for (const [what, wrong] of [
  ['no tables', {}],
  ['a name that is none', [{ name: "a'; evil", columns: [] }]],
  ['a column without a name', [{ name: 'A', columns: [{ type: 'text' }] }]],
  ['a type that is none', [{ name: 'A', columns: [{ colName: 'a', type: 'blob' }] }]],
] as const) {
  test(`not written: ${what}`, () => assert.throws(() => typescriptOf(wrong), TypeError));
}

test('a drift is reported by name to those who may read definitions', async () => {
  const made = {
    hash: 'of other tables',
    tables: { ...definition.tables, Gone: 'a text', Author: 'name varchar(50) required; nick text' },
  };
  const drift = await driftOf(clientOf('alice'), made);
  assert.deepEqual(drift?.differences.toSorted(), [
    '+ Author.born datetime',
    '+ DemoNote',
    '- Author.nick',
    '- Gone',
    '~ Author.name varchar(50) required → varchar(100) required',
  ]);
  const unnamed = await driftOf(clientOf('bob'), made);
  assert.deepEqual(unnamed?.differences, []);
  const described = await world.call('GET', `${world.prefix}/schemas/info`, { token: world.token('alice') });
  const { hash } = (described.json as { results: { hash: string } }).results;
  assert.equal(await driftOf(clientOf('bob'), { ...made, hash }), null);
});
