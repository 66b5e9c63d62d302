/** Types of tables, written from a service and from a file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TypesUsageError, writeTypes } from '../../../packages/client/src/types/main.ts';
import { typescriptOf } from '../../../packages/client/src/types/typescript.ts';
import { read, type Service, start, stop } from '../service.ts';
import { tables } from '../tables.ts';

let service: Service<'alice'>;
let folder: string;
before(async () => {
  service = await start({ people: ['alice'], tables });
  folder = mkdtempSync(join(tmpdir(), 'rowhouse-types-'));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stop(service);
});

test('the command writes the types of a service with its hash, and checks them', async () => {
  const out = join(folder, 'rowhouse.ts');
  const { url, appId, appVersion } = service.place;
  const place = { url, company: '1', app: appId, version: appVersion };
  await writeTypes({ ...place, out }, service.people.alice.token);
  const text = readFileSync(out, 'utf8');
  const { hash } = ((await read(service, '/schemas/info')) as { results: { hash: string } }).results;
  assert.ok(text.includes(`hash: '${hash}'`), text);
  assert.ok(!text.includes(service.people.alice.token));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `${service.people.alice.token}\n`);
  assert.equal((await writeTypes({ ...place, out, check: true, tokenFile }, undefined)).isStale, false);
  writeFileSync(out, text.replace('title: string', 'titel: string'));
  assert.equal((await writeTypes({ ...place, out, check: true }, service.people.alice.token)).isStale, true);
  await assert.rejects(writeTypes({ ...place, out }, undefined), TypesUsageError);
  await assert.rejects(writeTypes({ ...place, url: undefined, out }, 'token'), TypesUsageError);
});

test('a file of tables gives the same types as the service that has them', async () => {
  const { results } = (await read(service, '/schemas')) as { results: Record<string, unknown>[] };
  const file = join(folder, 'tables.json');
  writeFileSync(file, JSON.stringify({ tables: results.map(({ primary_key: _, ...table }) => table) }));
  const { text } = await writeTypes({ tables: file }, undefined);
  assert.equal(text, typescriptOf(results));
});

test('a table may spell the columns for client times in its own way', () => {
  const columns = [
    { colName: 'createTime', type: 'text' },
    { colName: 'updateTime', type: 'text' },
  ];
  const text = typescriptOf([{ name: 'note', columns }]);
  assert.ok(text.includes("export interface NoteRow extends Omit<rowhouse.SystemRow, 'CreateTime' | 'UpdateTime'> {"));
});

for (const [what, wrong] of [
  ['no tables', {}],
  ['an invalid name', [{ name: "a'; evil", columns: [] }]],
  ['a column without a name', [{ name: 'A', columns: [{ type: 'text' }] }]],
  ['an unknown type', [{ name: 'A', columns: [{ colName: 'a', type: 'blob' }] }]],
  [
    'a type with the name of a property of every object',
    [{ name: 'A', columns: [{ colName: 'a', type: 'constructor' }] }],
  ],
  ['a size that is code', [{ name: 'A', columns: [{ colName: 'a', type: 'varchar', fieldLength: "1)', b: evil('" }] }]],
  ['a reference that is code', [{ name: 'A', columns: [{ colName: 'a', type: 'text', references: "B'; evil('" }] }]],
  ['columns that are not a list', [{ name: 'A', columns: {} }]],
  ['a table twice', [{ name: 'A' }, { name: 'A' }]],
] as const) {
  test(`not written: ${what}`, () => assert.throws(() => typescriptOf(wrong), /^TypeError: .*expected/i));
}
