/**
 * Directus on PostgreSQL, through its REST interface, as a user with a role that may read, create and update both
 * collections. Production: NODE_ENV=production, the log at errors only, telemetry off, its pool as large as the
 * service's, everything else at its defaults, so that it writes activity and revisions with every change. Its pressure
 * limiter is off, because it would answer 503 at 32 connections. It has no transaction ids and no optimistic lock.
 */
import { sendJson } from '../../client/messages.ts';
import { freePort } from '../../machine/port.ts';
import { databaseConnections } from '../pool.ts';
import type { Measurable } from '../servers.ts';
import { installPeer } from './install.ts';
import { runToEnd, startPeer, type Variables } from './process.ts';
import { itemOf, noSpace, restAsks } from './rest.ts';
import { fillDatabase, type PeerTables } from './rows.ts';

const name = 'directus';
const adminToken = 'bench-admin-token';
const userToken = 'bench-user-token';

const idOfRow = (row: number) => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`;
const idOfCategory = (category: number) => `Category_category-${category}`;

const tables: PeerTables = {
  item: 'Item',
  category: 'Category',
  itemRow: (row, { category, ...item }) => ({ id: idOfRow(row), ...item, category: idOfCategory(category) }),
  categoryRow: (category, row) => ({ id: idOfCategory(category), ...row }),
};

export async function startDirectus(databaseUrl: string, rows: number): Promise<Measurable> {
  const installed = await installPeer(name, ['isolated-vm']);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = variablesOf(databaseUrl, port);
  const program = 'node_modules/directus/cli.js';
  await runToEnd(installed, [program, 'bootstrap'], variables);
  const process = await startPeer(installed, [program, 'start'], variables, `${url}/server/ping`);
  await define(url);
  await fillDatabase(databaseUrl, tables, 'id', rows);
  return { ...process, name, port, asks, spaces: [noSpace] };
}

export function variablesOf(databaseUrl: string, port: number): Variables {
  return {
    NODE_ENV: 'production',
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    DB_POOL__MAX: String(databaseConnections),
    SECRET: 'a secret of the benchmark, 0123456789abcdef',
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'bench-password',
    ADMIN_TOKEN: adminToken,
    TELEMETRY: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
    LOG_LEVEL: 'error',
  };
}

async function define(url: string): Promise<void> {
  const field = (field: string, type: string, schema: object = {}) => ({ field, type, schema });
  const key = (type: string, special: readonly string[]) => ({
    field: 'id',
    type,
    schema: { is_primary_key: true },
    meta: { special },
  });
  const collection = (name: string, fields: readonly object[]) =>
    post(url, '/collections', { collection: name, schema: {}, meta: {}, fields });
  await collection('Category', [key('string', []), field('code', 'string'), field('label', 'string')]);
  await collection('Item', [
    key('uuid', ['uuid']),
    field('sku', 'string'),
    field('title', 'string'),
    field('note', 'text'),
    field('category', 'string'),
    field('quantity', 'integer'),
    field('views', 'bigInteger'),
    field('price', 'decimal', { numeric_precision: 12, numeric_scale: 2 }),
    field('weight', 'float'),
    field('active', 'boolean'),
    field('soldAt', 'timestamp'),
    field('city', 'string'),
    field('country', 'string'),
  ]);
  await post(url, '/relations', { collection: 'Item', field: 'category', related_collection: 'Category' });
  const policy = await post(url, '/policies', { name: 'Bench', admin_access: false, app_access: false });
  for (const collection of ['Item', 'Category']) {
    for (const action of ['read', 'create', 'update']) {
      const permission = { policy, collection, action, fields: ['*'], permissions: {}, validation: {} };
      await post(url, '/permissions', permission);
    }
  }
  const role = await post(url, '/roles', { name: 'Bench', policies: { create: [{ policy }], update: [], delete: [] } });
  const user = { email: 'bench@example.com', password: 'bench-password', role, token: userToken, status: 'active' };
  await post(url, '/users', user);
}

/** @returns the id of the created object */
async function post(url: string, path: string, body: object): Promise<unknown> {
  const answer = await sendJson(url + path, { authorization: `Bearer ${adminToken}` }, body);
  return answer?.data?.id;
}

const ofCategory = (category: number) => `filter[category][_eq]=${idOfCategory(category)}`;

const asks = restAsks({
  headers: `authorization: Bearer ${userToken}\r\n`,
  items: '/items/Item',
  idOnly: '?fields=id',
  update: 'PATCH',
  idOfRow,
  page: (category) => `fields=*,category.*&${ofCategory(category)}&sort=soldAt,id&limit=20`,
  count: (category) => `aggregate[count]=*&${ofCategory(category)}`,
  item(record) {
    const { category, ...item } = itemOf(record);
    return { ...item, category: idOfCategory(category) };
  },
  idIn: ({ data }) => data.id,
});
