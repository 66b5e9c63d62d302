/**
 * TrailBase, started from a given binary, by its Record APIs, as an ordinary user. The rules of the items let a user see the
 * records for everyone and those for an audience that the user is a member of. Everything else is at its defaults,
 * except that a token lasts for the whole run. It has no transaction ids and no optimistic lock, and it answers before the
 * commit is synced: its SQLite runs with `synchronous=NORMAL`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestWith, sendJson } from '../../client/messages.ts';
import type { Asks } from '../asks.ts';
import type { Measurable } from '../servers.ts';
import { categoriesOf, type Record } from '../workload.ts';
import { checkReads, noSpace, type Told } from './answers.ts';
import { everyone, type FileTables, fillFile } from './file-rows.ts';
import { freePort, runToEnd, startPeer } from './process.ts';

const name = 'trailbase';
const user = { email: 'bench@example.com', password: 'bench-password' };

/** Its tables need a number or a UUID as primary key. */
const idOfRow = (row: number) => row + 1;
const idOfCategory = (category: number) => category + 1;

export const migration = `
CREATE TABLE category (id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, label TEXT NOT NULL) STRICT;
CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  sku TEXT, title TEXT, note TEXT,
  category INTEGER REFERENCES category (id),
  quantity INTEGER, views INTEGER, price REAL, weight REAL, active INTEGER,
  soldAt TEXT, city TEXT, country TEXT,
  audience TEXT NOT NULL
) STRICT;
CREATE INDEX item_category ON item (category, soldAt, id);
CREATE TABLE member (user BLOB NOT NULL REFERENCES _user (id), audience TEXT NOT NULL, PRIMARY KEY (user, audience)) STRICT;
`;

const sees = `_ROW_.audience = '${everyone}' OR EXISTS (SELECT 1 FROM member WHERE member.user = _USER_.id AND member.audience = _ROW_.audience)`;

export const config = `
email {}
server { application_name: "bench" }
auth { auth_token_ttl_sec: 604800 }
jobs {}
record_apis: [{
  name: "category"
  table_name: "category"
  acl_authenticated: [READ]
}, {
  name: "item"
  table_name: "item"
  acl_authenticated: [CREATE, READ, UPDATE]
  read_access_rule: "${sees}"
  update_access_rule: "${sees}"
  expand: ["category"]
}]
`;

export const tables: FileTables = {
  item: 'item',
  category: 'category',
  idOfRow: '1 + n',
  idOfCategory: '1 + n',
  soldAt: "strftime('%Y-%m-%dT%H:%M:%S.000Z', at, 'unixepoch')",
  noCountry: 'NULL',
};

/** @param folder an empty one */
export async function startTrailBase(binary: string, folder: string, rows: number): Promise<Measurable> {
  const depot = join(folder, 'traildepot');
  const migrations = join(depot, 'migrations', 'main');
  mkdirSync(migrations, { recursive: true });
  writeFileSync(join(migrations, 'U1700000000__bench.sql'), migration);
  writeFileSync(join(depot, 'config.textproto'), config);
  const program = { program: binary, folder };
  await runToEnd(program, ['--depot', depot, 'user', 'add', user.email, user.password], {});
  fillFile(join(depot, 'data', 'main.db'), tables, rows, categoriesOf(rows));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const run = ['--depot', depot, 'run', '--address', `127.0.0.1:${port}`];
  const process = await startPeer(program, run, {}, `${url}/api/healthcheck`);
  const asks = asksOf(await signIn(url));
  await checkReads(name, port, asks, told, rows);
  return { ...process, name, port, asks, spaces: [noSpace] };
}

/** @returns its token */
async function signIn(url: string): Promise<string> {
  return (await sendJson(`${url}/api/auth/v1/login`, {}, user)).auth_token;
}

function itemOf({ scopeType: _, category, quantity, views, price, weight, active, soldAt, ...texts }: Record): object {
  const numbers = { quantity: Number(quantity), views: Number(views), price: Number(price), weight: Number(weight) };
  const time = new Date(String(soldAt)).toISOString();
  const number = Number(String(category).replace('category-', ''));
  const others = { active: active === 'true' ? 1 : 0, soldAt: time, category: idOfCategory(number) };
  return { ...texts, ...numbers, ...others, audience: everyone };
}

/** It answers an add with the ids alone, and an update with an empty body. */
export function asksOf(token: string): Asks {
  const headers = `authorization: Bearer ${token}\r\n`;
  const records = '/api/records/v1/item';
  const read = (path: string) => requestWith('GET', records + path, headers, '');
  const write = (method: 'POST' | 'PATCH', path: string, body: object) =>
    requestWith(method, records + path, headers, JSON.stringify(body));
  const ofCategory = (category: number) => `filter[category]=${idOfCategory(category)}`;
  return {
    get: (_, row) => read(`/${idOfRow(row)}`),
    page: (_, category) => read(`?${ofCategory(category)}&order=soldAt,id&limit=20&expand=category`),
    count: (_, category) => read(`?${ofCategory(category)}&count=true&limit=0`),
    add: (_, added) => write('POST', '', added.length === 1 ? itemOf(added[0] as Record) : added.map(itemOf)),
    update: (_, { objectId }, quantity) => write('PATCH', `/${objectId}`, { quantity }),
    written: (body, before) => before ?? { objectId: JSON.parse(body).ids[0], lock: '' },
  };
}

interface Item {
  readonly sku: string;
  readonly category?: { readonly data?: { readonly label: string } };
}

export const told: Told = {
  get: (body) => JSON.parse(body).sku,
  page: (body) => JSON.parse(body).records.map((item: Item) => [item.sku, item.category?.data?.label]),
  count: (body) => JSON.parse(body).total_count,
};
