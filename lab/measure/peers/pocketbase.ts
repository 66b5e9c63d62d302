/**
 * PocketBase, started from a given binary, by its REST interface, as an ordinary user of an auth collection. The rules of the
 * items let a user see the records for everyone and those for the user's own audience. Everything else is at its
 * defaults, except that it keeps no request log and that its batch interface is on. It has no transaction ids and no
 * optimistic lock, and it answers before the commit is synced: its SQLite runs with `synchronous=NORMAL`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requestWith, sendJson } from '../../client/messages.ts';
import type { Asks } from '../asks.ts';
import type { Measurable } from '../servers.ts';
import { categoriesOf, type Record } from '../workload.ts';
import { checkReads, noSpace, type Told } from './answers.ts';
import { everyone, type FileTables, fillFile } from './file-rows.ts';
import { freePort, runToEnd, startPeer } from './process.ts';

const name = 'pocketbase';
const users = 'members';
const user = { email: 'bench@example.com', password: 'bench-password' };
const admin = { email: 'admin@example.com', password: 'bench-password' };

/** Ids have 15 letters and digits. */
const idOfRow = (row: number) => `item${String(row).padStart(11, '0')}`;
const idOfCategory = (category: number | string) => `category${String(category).padStart(7, '0')}`;

export const tables: FileTables = {
  item: 'Item',
  category: 'Category',
  idOfRow: "printf('item%011d', n)",
  idOfCategory: "printf('category%07d', n)",
  soldAt: "strftime('%Y-%m-%d %H:%M:%S.000Z', at, 'unixepoch')",
  noCountry: "''",
};

/** @param folder an empty one */
export async function startPocketBase(binary: string, folder: string, rows: number): Promise<Measurable> {
  mkdirSync(folder, { recursive: true });
  const program = { program: binary, folder };
  const data = join(folder, 'pb_data');
  await runToEnd(program, ['superuser', 'upsert', admin.email, admin.password, '--dir', data], {});
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    startPeer(program, ['serve', '--http', `127.0.0.1:${port}`, '--dir', data], {}, `${url}/api/health`);
  const first = await start();
  await define(url);
  await first.stop();
  fillFile(join(data, 'data.db'), tables, rows, categoriesOf(rows));
  const process = await start();
  const asks = asksOf(await signIn(url, users, user));
  await checkReads(name, port, asks, told, rows);
  return { ...process, name, port, asks, spaces: [noSpace] };
}

/** @returns its token */
async function signIn(url: string, collection: string, { email, password }: typeof user): Promise<string> {
  const body = { identity: email, password };
  const { token } = await send(url, 'POST', `/api/collections/${collection}/auth-with-password`, '', body);
  return String(token);
}

async function define(url: string): Promise<void> {
  const token = await signIn(url, '_superusers', admin);
  const post = (path: string, body: object) => send(url, 'POST', `/api/collections${path}`, token, body);
  const batch = { enabled: true, maxRequests: 100, timeout: 120 };
  await send(url, 'PATCH', '/api/settings', token, { batch, logs: { maxDays: 0 } });
  const field = (type: string) => (field: string) => ({ name: field, type });
  await post('', { name: users, type: 'auth', fields: [field('text')('audience')] });
  const account = { ...user, passwordConfirm: user.password, verified: true, audience: 'few' };
  await post(`/${users}/records`, account);
  const isSignedIn = '@request.auth.id != ""';
  const rules = { viewRule: isSignedIn, listRule: isSignedIn };
  const texts = ['code', 'label'].map(field('text'));
  const category = await post('', { name: 'Category', type: 'base', ...rules, fields: texts });
  const sees = `${isSignedIn} && (audience = "${everyone}" || audience = @request.auth.audience)`;
  await post('', {
    name: 'Item',
    type: 'base',
    listRule: sees,
    viewRule: sees,
    createRule: isSignedIn,
    updateRule: sees,
    fields: [
      ...['sku', 'title', 'note', 'city', 'country', 'audience'].map(field('text')),
      ...['quantity', 'views', 'price', 'weight'].map(field('number')),
      { name: 'active', type: 'bool' },
      { name: 'soldAt', type: 'date' },
      { name: 'category', type: 'relation', collectionId: category.id, maxSelect: 1 },
    ],
    indexes: ['CREATE INDEX idx_item_category ON Item (category, soldAt, id)'],
  });
}

const send = (url: string, method: string, path: string, token: string, body: object) =>
  sendJson(url + path, { authorization: token }, body, method);

function itemOf({ scopeType: _, category, quantity, views, price, weight, active, ...texts }: Record): object {
  const numbers = { quantity: Number(quantity), views: Number(views), price: Number(price), weight: Number(weight) };
  const number = String(category).replace('category-', '');
  return { ...texts, ...numbers, active: active === 'true', category: idOfCategory(number), audience: everyone };
}

const records = '/api/collections/Item/records';

/** Of what was written only the id is asked back, as the service answers it. */
export function asksOf(token: string): Asks {
  const headers = `authorization: ${token}\r\n`;
  const read = (path: string) => requestWith('GET', records + path, headers, '');
  const write = (method: 'POST' | 'PATCH', path: string, body: object) =>
    requestWith(method, path, headers, JSON.stringify(body));
  const ofCategory = (category: number) => `filter=${encodeURIComponent(`category = "${idOfCategory(category)}"`)}`;
  return {
    get: (_, row) => read(`/${idOfRow(row)}`),
    page: (_, category) => read(`?${ofCategory(category)}&sort=soldAt,id&perPage=20&skipTotal=true&expand=category`),
    count: (_, category) => read(`?${ofCategory(category)}&perPage=1&fields=totalItems`),
    add(_, added) {
      const url = `${records}?fields=id`;
      if (added.length === 1) return write('POST', url, itemOf(added[0] as Record));
      const requests = added.map((record) => ({ method: 'POST', url, body: itemOf(record) }));
      return write('POST', '/api/batch', { requests });
    },
    update: (_, { objectId }, quantity) => write('PATCH', `${records}/${objectId}?fields=id`, { quantity }),
    written: (body) => ({ objectId: JSON.parse(body).id, lock: '' }),
  };
}

interface Item {
  readonly sku: string;
  readonly expand?: { readonly category?: { readonly label: string } };
}

export const told: Told = {
  get: (body) => JSON.parse(body).sku,
  page: (body) => JSON.parse(body).items.map((item: Item) => [item.sku, item.expand?.category?.label]),
  count: (body) => JSON.parse(body).totalItems,
};
