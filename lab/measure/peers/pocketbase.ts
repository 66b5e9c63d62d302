/**
 * PocketBase, started from a given binary, through its REST interface, as an ordinary user of an auth collection. The
 * rules of the items let a user see the records for everyone and those for the user's own audience. Everything else is
 * at its defaults, except that it keeps no request log and that its batch interface is on. It has no transaction ids
 * and no optimistic lock, and it answers before the commit is synced: its SQLite runs with `synchronous=NORMAL`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sendJson } from '../../client/messages.ts';
import { freePort } from '../../machine/port.ts';
import type { Measurable } from '../servers.ts';
import { runToEnd, startPeer } from './process.ts';
import { checkReads, itemOf, noSpace, restAsks, type Told } from './rest.ts';
import { fillFile, type PeerTables } from './rows.ts';

const name = 'pocketbase';
const users = 'members';
const user = { email: 'bench@example.com', password: 'bench-password' };
const admin = { email: 'admin@example.com', password: 'bench-password' };
/** Everyone may see each record, as in the service's own data. */
const audience = 'all';

/** Ids have 15 letters and digits. */
const idOfRow = (row: number) => `item${String(row).padStart(11, '0')}`;
const idOfCategory = (category: number) => `category${String(category).padStart(7, '0')}`;

const tables: PeerTables = {
  item: 'Item',
  category: 'Category',
  itemRow: (row, { category, active, soldAt, country, ...item }) => ({
    ...{ id: idOfRow(row), ...item, category: idOfCategory(category), active: Number(active), audience },
    ...{ soldAt: soldAt.replace('T', ' '), country: country ?? '' },
  }),
  categoryRow: (category, row) => ({ id: idOfCategory(category), ...row }),
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
  fillFile(join(data, 'data.db'), tables, rows);
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
  const sees = `${isSignedIn} && (audience = "${audience}" || audience = @request.auth.audience)`;
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

const records = '/api/collections/Item/records';
const ofCategory = (category: number) => `filter=${encodeURIComponent(`category = "${idOfCategory(category)}"`)}`;

export const asksOf = (token: string) =>
  restAsks({
    headers: `authorization: ${token}\r\n`,
    items: records,
    idOnly: '?fields=id',
    update: 'PATCH',
    idOfRow,
    page: (category) => `${ofCategory(category)}&sort=soldAt,id&perPage=20&skipTotal=true&expand=category`,
    count: (category) => `${ofCategory(category)}&perPage=1&fields=totalItems`,
    item(record) {
      const { category, ...item } = itemOf(record);
      return { ...item, category: idOfCategory(category), audience };
    },
    batch: (items) => {
      const requests = items.map((body) => ({ method: 'POST', url: `${records}?fields=id`, body }));
      return ['/api/batch', { requests }];
    },
    idIn: ({ id }) => id,
  });

interface Item {
  readonly sku: string;
  readonly expand?: { readonly category?: { readonly label: string } };
}

export const told: Told = {
  get: (body) => JSON.parse(body).sku,
  page: (body) => JSON.parse(body).items.map((item: Item) => [item.sku, item.expand?.category?.label]),
  count: (body) => JSON.parse(body).totalItems,
};
