/**
 * Directus on PostgreSQL, by its REST interface, as a user with a role that may read, create and update both collections.
 * Production: NODE_ENV=production, the log at errors only, telemetry off, its pool as large as the service's, everything else at its defaults, so that
 * it writes activity and revisions with every change. Its pressure limiter is off: at 32 connections it would answer 503. It has no transaction ids and no optimistic lock.
 */

import { requestWith, sendJson } from '../../client/messages.ts';
import type { Asks } from '../asks.ts';
import { databaseConnections } from '../pool.ts';
import type { Measurable } from '../servers.ts';
import { categoriesOf, type Record } from '../workload.ts';
import { installPeer } from './install.ts';
import { freePort, runToEnd, startPeer, type Variables } from './process.ts';
import { fillPeer } from './rows.ts';

const name = 'directus';
const adminToken = 'bench-admin-token';
const userToken = 'bench-user-token';

export async function startDirectus(databaseUrl: string, rows: number): Promise<Measurable> {
  const installed = await installPeer(name, ['isolated-vm']);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = variablesOf(databaseUrl, port);
  const program = 'node_modules/directus/cli.js';
  await runToEnd(installed, [program, 'bootstrap'], variables);
  const process = await startPeer(installed, [program, 'start'], variables, `${url}/server/ping`);
  await define(url);
  const tables = { id: 'id', idOfRow: "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid", others: {} };
  await fillPeer(databaseUrl, tables, rows, categoriesOf(rows));
  return { ...process, name, port, asks, spaces: [{ spaceId: 0, prefix: '', token: '', tokenOfFew: '' }] };
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

/** @returns the id of what was made */
async function post(url: string, path: string, body: object): Promise<unknown> {
  const answer = await sendJson(url + path, { authorization: `Bearer ${adminToken}` }, body);
  return answer?.data?.id;
}

const headers = `authorization: Bearer ${userToken}\r\n`;
const read = (path: string) => requestWith('GET', `/items/Item${path}`, headers, '');
const ofCategory = (category: number) => `filter[category][_eq]=Category_category-${category}`;

function itemOf({ scopeType: _, category, quantity, weight, active, ...others }: Record): object {
  const typed = { quantity: Number(quantity), weight: Number(weight), active: active === 'true' };
  return { ...others, ...typed, category: `Category_${category}` };
}

/** Of what was written only the id is asked back, as the service answers it. */
const asks: Asks = {
  get: (_, row) => read(`/00000000-0000-4000-8000-${String(row).padStart(12, '0')}`),
  page: (_, category) => read(`?fields=*,category.*&${ofCategory(category)}&sort=soldAt,id&limit=20`),
  count: (_, category) => read(`?aggregate[count]=*&${ofCategory(category)}`),
  add(_, records) {
    const items = records.map(itemOf);
    const body = JSON.stringify(items.length === 1 ? items[0] : items);
    return requestWith('POST', '/items/Item?fields=id', headers, body);
  },
  update: (_, { objectId }, quantity) =>
    requestWith('PATCH', `/items/Item/${objectId}?fields=id`, headers, JSON.stringify({ quantity })),
  written: (body) => ({ objectId: JSON.parse(body).data.id, lock: '' }),
};
