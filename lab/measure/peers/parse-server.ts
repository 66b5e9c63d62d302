/**
 * Parse Server on PostgreSQL, by its REST interface, as a signed-in user. Production: its command line with
 * NODE_ENV=production, its request log off, its pool as large as the service's, everything else at its defaults; `idempotencyOptions` as its documentation
 * shows them. It has no optimistic lock, and the tables of a join are read one after the other (`include`).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestWith, sendJson } from '../../client/messages.ts';
import { type Asks, newTransactionId } from '../asks.ts';
import { databaseConnections } from '../pool.ts';
import type { Measurable } from '../servers.ts';
import { categoriesOf, objectIdOf, type Record } from '../workload.ts';
import { installPeer } from './install.ts';
import { freePort, startPeer } from './process.ts';
import { fillPeer } from './rows.ts';

const name = 'parse-server';
const appId = 'bench';
const masterKey = 'bench-master-key';
const restKey = 'bench-rest-key';

/**
 * Each transactional batch holds a connection to the database and waits for a second one: as many at once as the pool has
 * connections would wait for ever.
 */
const batchesMax = databaseConnections - 2;

/** Its documentation names `max`, a parameter of the database's URL. */
export function databaseUriOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('max', String(databaseConnections));
  return url.href;
}

export async function startParseServer(databaseUrl: string, rows: number): Promise<Measurable> {
  const installed = await installPeer(name, []);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/parse`;
  const config = join(installed.folder, `config-${port}.json`);
  const options = {
    appId,
    masterKey,
    restAPIKey: restKey,
    databaseURI: databaseUriOf(databaseUrl),
    serverURL: url,
    publicServerURL: url,
    host: '127.0.0.1',
    port,
    mountPath: '/parse',
    silent: true,
    logsFolder: null,
    idempotencyOptions: { paths: ['.*'], ttl: 120 },
  };
  writeFileSync(config, JSON.stringify(options));
  const program = ['node_modules/parse-server/bin/parse-server', config];
  const process = await startPeer(installed, program, { NODE_ENV: 'production' }, `${url}/health`);
  rmSync(config);
  await defineClasses(url);
  const time = 'to_timestamp(1700000000)';
  const others = { createdAt: time, updatedAt: time };
  const tables = { id: 'objectId', idOfRow: "'Item_' || lpad(n::text, 32, '0')", others };
  await fillPeer(databaseUrl, tables, rows, categoriesOf(rows));
  const { sessionToken } = await post(url, '/users', { username: 'bench', password: 'bench-password' });
  return {
    ...process,
    name,
    port,
    asks: asksOf(String(sessionToken)),
    connectionsMax: { 'add-100': batchesMax },
    spaces: [{ spaceId: 0, prefix: '', token: '', tokenOfFew: '' }],
  };
}

async function defineClasses(url: string): Promise<void> {
  const fieldsOf = (types: object) =>
    Object.fromEntries(Object.entries(types).map(([field, type]) => [field, { type }]));
  const asMaster = { 'x-parse-master-key': masterKey };
  const category = fieldsOf({ code: 'String', label: 'String' });
  await post(url, '/schemas/Category', { className: 'Category', fields: category }, asMaster);
  const item = fieldsOf({
    sku: 'String',
    title: 'String',
    note: 'String',
    quantity: 'Number',
    views: 'Number',
    price: 'Number',
    weight: 'Number',
    active: 'Boolean',
    soldAt: 'Date',
    city: 'String',
    country: 'String',
  });
  const fields = { ...item, category: { type: 'Pointer', targetClass: 'Category' } };
  await post(url, '/schemas/Item', { className: 'Item', fields }, asMaster);
}

function post(url: string, path: string, body: object, more: object = {}): Promise<{ sessionToken?: unknown }> {
  const headers = { 'x-parse-application-id': appId, 'x-parse-rest-api-key': restKey };
  return sendJson(url + path, { ...headers, ...more }, body);
}

const pointer = (category: string) => ({ __type: 'Pointer', className: 'Category', objectId: `Category_${category}` });

function objectOf({
  scopeType: _,
  category,
  quantity,
  views,
  price,
  weight,
  active,
  soldAt,
  ...texts
}: Record): object {
  const numbers = { quantity: Number(quantity), views: Number(views), price: Number(price), weight: Number(weight) };
  const date = { __type: 'Date', iso: new Date(String(soldAt)).toISOString() };
  return { ...texts, ...numbers, active: active === 'true', soldAt: date, category: pointer(String(category)) };
}

function asksOf(sessionToken: string): Asks {
  const headers =
    `x-parse-application-id: ${appId}\r\nx-parse-rest-api-key: ${restKey}\r\n` +
    `x-parse-session-token: ${sessionToken}\r\n`;
  const read = (path: string) => requestWith('GET', `/parse/classes/Item${path}`, headers, '');
  const write = (method: 'POST' | 'PUT', path: string, body: object) =>
    requestWith(
      method,
      `/parse${path}`,
      `${headers}x-parse-request-id: ${newTransactionId()}\r\n`,
      JSON.stringify(body),
    );
  const ofCategory = (category: number) =>
    `where=${encodeURIComponent(JSON.stringify({ category: pointer(`category-${category}`) }))}`;
  return {
    get: (_, row) => read(`/${objectIdOf(row)}`),
    page: (_, category) => read(`?${ofCategory(category)}&order=soldAt,objectId&limit=20&include=category`),
    count: (_, category) => read(`?${ofCategory(category)}&count=1&limit=0`),
    add(_, records) {
      if (records.length === 1) return write('POST', '/classes/Item', objectOf(records[0] as Record));
      const requests = records.map((record) => ({
        method: 'POST',
        path: '/parse/classes/Item',
        body: objectOf(record),
      }));
      return write('POST', '/batch', { transaction: true, requests });
    },
    update: (_, { objectId }, quantity) => write('PUT', `/classes/Item/${objectId}`, { quantity }),
    written: (body, before) => before ?? { objectId: JSON.parse(body).objectId, lock: '' },
  };
}
