/** How the peers are set up and queried, following their public documentation, and how their answers are checked. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { run } from '../../lab/measure/load.ts';
import { variablesOf } from '../../lab/measure/peers/directus.ts';
import { databaseUriOf } from '../../lab/measure/peers/parse-server.ts';
import * as pocketBase from '../../lab/measure/peers/pocketbase.ts';
import { checkReads, noSpace } from '../../lab/measure/peers/rest.ts';
import { fillFile } from '../../lab/measure/peers/rows.ts';
import * as trailBase from '../../lab/measure/peers/trailbase.ts';
import { databaseConnections } from '../../lab/measure/pool.ts';
import { categoryOf, newRecord, recordOf } from '../../lab/measure/workload.ts';
import { defaults } from '../../src/config.ts';

/** Splits a raw request into its parts. */
function parts(request: string) {
  const [head, body] = request.split('\r\n\r\n') as [string, string];
  const [line, ...headers] = head.split('\r\n') as [string, ...string[]];
  const [method, target] = line.split(' ') as [string, string];
  const { pathname, searchParams } = new URL(target, 'http://peer');
  const authorization = headers.find((header) => header.startsWith('authorization: '))?.slice(15);
  return { method, pathname, query: Object.fromEntries(searchParams), authorization, body };
}

const item = { sku: 'SKU-000000007', quantity: 7, views: 7_000_021, price: 7.07, weight: 0.875, country: 'Country 7' };

test('every server on PostgreSQL may use as many connections as the service by default', () => {
  assert.equal(databaseConnections, defaults.databaseConnectionsMax);
  const url = 'postgres://bench:word@127.0.0.1:5433/one?sslmode=disable';
  assert.equal(databaseUriOf(url), `${url}&max=${databaseConnections}`);
  const variables = variablesOf(url, 8055);
  assert.equal(variables.DB_POOL__MAX, String(databaseConnections));
  assert.equal(variables.DB_CONNECTION_STRING, url);
});

test('PocketBase gets the same work', () => {
  const asks = pocketBase.asksOf('its.token');
  const records = '/api/collections/Item/records';
  const get = parts(asks.get(noSpace, 7));
  assert.deepEqual([get.method, get.pathname, get.query], ['GET', `${records}/item00000000007`, {}]);
  assert.equal(get.authorization, 'its.token');
  const filter = 'category = "category0000012"';
  const page = parts(asks.page(noSpace, 12));
  assert.equal(page.pathname, records);
  const one = { sort: 'soldAt,id', perPage: '20', skipTotal: 'true', expand: 'category' };
  assert.deepEqual(page.query, { filter, ...one });
  assert.deepEqual(parts(asks.count(noSpace, 12)).query, { filter, perPage: '1', fields: 'totalItems' });
  const add = parts(asks.add(noSpace, [newRecord(7)]));
  assert.deepEqual([add.method, add.pathname, add.query], ['POST', records, { fields: 'id' }]);
  const added = JSON.parse(add.body);
  const own = { ...item, active: true, category: 'category0000007', audience: 'all' };
  assert.deepEqual({ ...added, ...own }, added);
  assert.equal(new Date(added.soldAt).getTime(), 1_700_000_007_000);
  assert.equal('scopeType' in added, false);
  const batch = parts(asks.add(noSpace, [newRecord(7), newRecord(8)]));
  assert.equal(batch.pathname, '/api/batch');
  const { requests } = JSON.parse(batch.body);
  assert.equal(requests.length, 2);
  assert.deepEqual(requests[0], { method: 'POST', url: `${records}?fields=id`, body: added });
  const written = asks.written('{"id":"abcdefghij12345"}', undefined);
  const update = parts(asks.update(noSpace, written, 5));
  assert.deepEqual([update.method, update.pathname], ['PATCH', `${records}/abcdefghij12345`]);
  assert.deepEqual(JSON.parse(update.body), { quantity: 5 });
});

test('TrailBase gets the same work', () => {
  const asks = trailBase.asksOf('its.token');
  const records = '/api/records/v1/item';
  const get = parts(asks.get(noSpace, 7));
  assert.deepEqual([get.method, get.pathname, get.query], ['GET', `${records}/8`, {}]);
  assert.equal(get.authorization, 'Bearer its.token');
  const page = parts(asks.page(noSpace, 12));
  assert.equal(page.pathname, records);
  const one = { order: 'soldAt,id', limit: '20', expand: 'category' };
  assert.deepEqual(page.query, { 'filter[category]': '13', ...one });
  assert.deepEqual(parts(asks.count(noSpace, 12)).query, { 'filter[category]': '13', count: 'true', limit: '0' });
  const add = parts(asks.add(noSpace, [newRecord(7)]));
  assert.deepEqual([add.method, add.pathname], ['POST', records]);
  const added = JSON.parse(add.body);
  const own = { ...item, active: 1, category: 8, soldAt: '2023-11-14T22:13:27.000Z', audience: 'all' };
  assert.deepEqual({ ...added, ...own }, added);
  assert.equal('scopeType' in added, false);
  assert.equal(JSON.parse(parts(asks.add(noSpace, [newRecord(7), newRecord(8)])).body).length, 2);
  const written = asks.written('{"ids":["41"]}', undefined);
  const update = parts(asks.update(noSpace, written, 5));
  assert.deepEqual(
    [update.method, update.pathname, JSON.parse(update.body)],
    ['PATCH', `${records}/41`, { quantity: 5 }],
  );
  assert.equal(asks.written('', written), written);
});

test('the tables of TrailBase are valid SQL on SQLite, and accept what is added over HTTP', (context) => {
  const db = new DatabaseSync(':memory:');
  context.after(() => db.close());
  db.exec(`CREATE TABLE _user (id BLOB PRIMARY KEY); ${trailBase.migration}`);
  const added = JSON.parse(parts(trailBase.asksOf('').add(noSpace, [recordOf(7)])).body);
  const { objectId: _, ...columns } = added;
  const names = Object.keys(columns);
  db.exec("INSERT INTO category VALUES (8, 'category-7', 'of seven')");
  db.prepare(`INSERT INTO item (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(
    ...(Object.values(columns) as string[]),
  );
  const [rule] = /(?<=read_access_rule: ").*(?=")/.exec(trailBase.config) as unknown as [string];
  const seen = db.prepare(`SELECT _ROW_.sku FROM item AS _ROW_, (SELECT NULL AS id) AS _USER_ WHERE ${rule}`).all();
  assert.equal(seen.length, 1);
});

test('the rows written to a file are those of every other server', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-peer-rows-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'main.db');
  const db = new DatabaseSync(path);
  db.exec(`CREATE TABLE _user (id BLOB PRIMARY KEY); ${trailBase.migration}`);
  fillFile(path, trailBase.tables, 60);
  const rows = db.prepare(
    'SELECT item.*, label FROM item JOIN category ON category.id = item.category ORDER BY item.id',
  );
  const filled = rows.all();
  db.close();
  assert.equal(filled.length, 60);
  const asks = trailBase.asksOf('');
  for (const [number, { id, label, ...row }] of filled.entries()) {
    const { objectId: _, ...added } = JSON.parse(parts(asks.add(noSpace, [recordOf(number, 3)])).body);
    assert.deepEqual({ ...row }, added);
    assert.deepEqual([id, label], [number + 1, categoryOf(number % 3).label]);
  }
});

/** Answers each request with the result of `bodyOf` for its path. */
async function answering(bodyOf: (path: string) => object): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    // Without a length, and therefore in chunks.
    const text = JSON.stringify(bodyOf(request.url as string));
    response.write(text.slice(0, 5));
    response.end(text.slice(5));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** The page of the first category of three, as PocketBase answers it. */
const skus = Array.from({ length: 20 }, (_, at) => recordOf(at * 3).sku);
const { label } = categoryOf(0);
const pageOfPocketBase = { items: skus.map((sku) => ({ sku, expand: { category: { label } } })) };
const pageOfTrailBase = { records: skus.map((sku) => ({ sku, category: { id: 1, data: { label } } })) };
const peers = [
  ['pocketbase', pocketBase, pageOfPocketBase, { totalItems: 20 }, { items: [] }],
  ['trailbase', trailBase, pageOfTrailBase, { total_count: 20, records: [] }, { records: [] }],
] as const;

for (const [name, { asksOf, told }, page, count, empty] of peers) {
  test(`answers of ${name} are checked before it is measured`, async (context) => {
    let answeredPage: object = page;
    const { server, port } = await answering((path) => {
      if (!path.includes('?')) return { sku: recordOf(7).sku };
      return /totalItems|count=true/.test(path) ? count : answeredPage;
    });
    context.after(() => server.close());
    await checkReads(name, port, asksOf(''), told, 60);
    answeredPage = empty;
    await assert.rejects(
      checkReads(name, port, asksOf(''), told, 60),
      new RegExp(`^Error: ${name} answered "page" with \\[\\]`),
    );
    await assert.rejects(checkReads(name, port, asksOf(''), told, 80), new RegExp(`^Error: ${name} answered "page"`));
  });
}

test('a chunked answer is read to its end, and so is the next one on the same connection', async (context) => {
  const bodies = [{ text: 'ā'.repeat(100_000) }, { text: '0' }, { text: '' }];
  const { server, port } = await answering((path) => bodies[Number(path.slice(1))] as object);
  context.after(() => server.close());
  const answers: string[] = [];
  const load = { port, connections: 1, warmUpMs: 0, measureMs: 60_000, requestsMax: 3 };
  const request = (number: number) => `GET /${number} HTTP/1.1\r\nhost: peer\r\n\r\n`;
  await run({ ...load, request, answered: (_, text) => answers.push(text.slice(text.indexOf('\r\n\r\n') + 4)) });
  assert.deepEqual(
    answers.map((text) => JSON.parse(text)),
    bodies,
  );
});
