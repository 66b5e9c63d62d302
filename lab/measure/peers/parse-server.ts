/**
 * Parse Server on PostgreSQL, through its REST interface, as a signed-in user. Production: its command line with
 * NODE_ENV=production, its request log off, its pool as large as the service's, everything else at its defaults;
 * `idempotencyOptions` as in its documentation. It has no optimistic lock, and reads the tables of a join one after the
 * other (`include`).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendJson } from '../../client/messages.ts';
import { freePort } from '../../machine/port.ts';
import { newTransactionId } from '../asks.ts';
import { databaseConnections } from '../pool.ts';
import type { Measurable } from '../servers.ts';
import { objectIdOf } from '../workload.ts';
import { installPeer } from './install.ts';
import { startPeer } from './process.ts';
import { itemOf, noSpace, restAsks } from './rest.ts';
import { fillDatabase, type PeerTables } from './rows.ts';

const name = 'parse-server';
const appId = 'bench';
const masterKey = 'bench-master-key';
const restKey = 'bench-rest-key';

/**
 * Each transactional batch holds a connection and waits for a second one, so as many batches as the pool has
 * connections would wait for ever.
 */
const batchesMax = databaseConnections - 2;

/** Its documentation names `max`, a parameter of the database's URL. */
export function databaseUriOf(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('max', String(databaseConnections));
  return url.href;
}

const idOfCategory = (category: number) => `Category_category-${category}`;
const madeAt = new Date(1_700_000_000_000).toISOString();
const made = { createdAt: madeAt, updatedAt: madeAt };

const tables: PeerTables = {
  item: 'Item',
  category: 'Category',
  itemRow: (row, item) => ({ objectId: objectIdOf(row), ...made, ...item, category: idOfCategory(item.category) }),
  categoryRow: (category, row) => ({ objectId: idOfCategory(category), ...made, ...row }),
};

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
  await fillDatabase(databaseUrl, tables, 'objectId', rows);
  const { sessionToken } = await post(url, '/users', { username: 'bench', password: 'bench-password' });
  const asks = asksOf(String(sessionToken));
  return { ...process, name, port, asks, connectionsMax: { 'add-100': batchesMax }, spaces: [noSpace] };
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

const pointer = (category: number) => ({
  __type: 'Pointer',
  className: 'Category',
  objectId: idOfCategory(category),
});

const ofCategory = (category: number) => `where=${encodeURIComponent(JSON.stringify({ category: pointer(category) }))}`;

const asksOf = (sessionToken: string) =>
  restAsks({
    headers: `x-parse-application-id: ${appId}\r\nx-parse-rest-api-key: ${restKey}\r\nx-parse-session-token: ${sessionToken}\r\n`,
    writeHeaders: () => `x-parse-request-id: ${newTransactionId()}\r\n`,
    items: '/parse/classes/Item',
    update: 'PUT',
    idOfRow: objectIdOf,
    page: (category) => `${ofCategory(category)}&order=soldAt,objectId&limit=20&include=category`,
    count: (category) => `${ofCategory(category)}&count=1&limit=0`,
    item(record) {
      const { category, soldAt, ...item } = itemOf(record);
      return { ...item, soldAt: { __type: 'Date', iso: soldAt }, category: pointer(category) };
    },
    batch: (items) => {
      const requests = items.map((body) => ({ method: 'POST', path: '/parse/classes/Item', body }));
      return ['/parse/batch', { transaction: true, requests }];
    },
    idIn: ({ objectId }) => objectId,
  });
