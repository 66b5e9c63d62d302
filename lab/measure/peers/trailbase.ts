/**
 * TrailBase, started from a given binary, through its Record APIs, as an ordinary user. The rules of the items let a
 * user see the records for everyone and those for an audience that the user is a member of. Everything else is at its
 * defaults, except that a token lasts for the whole run. It has no transaction ids and no optimistic lock, and it
 * answers before the commit is synced: its SQLite runs with `synchronous=NORMAL`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendJson } from '../../client/messages.ts';
import { freePort } from '../../machine/port.ts';
import type { Measurable } from '../servers.ts';
import type { Record } from '../workload.ts';
import { runToEnd, startPeer } from './process.ts';
import { checkReads, itemOf, noSpace, restAsks, type Told } from './rest.ts';
import { fillFile, type PeerTables } from './rows.ts';

const name = 'trailbase';
const user = { email: 'bench@example.com', password: 'bench-password' };
/** Everyone may see each record, as in the service's own data. */
const audience = 'all';

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

const sees = `_ROW_.audience = '${audience}' OR EXISTS (SELECT 1 FROM member WHERE member.user = _USER_.id AND member.audience = _ROW_.audience)`;

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

function itemFor(record: Record) {
  const { category, active, ...item } = itemOf(record);
  return { ...item, category: idOfCategory(category), active: Number(active), audience };
}

export const tables: PeerTables = {
  item: 'item',
  category: 'category',
  itemRow: (row, item) => ({
    id: idOfRow(row),
    ...item,
    ...{ category: idOfCategory(item.category), active: Number(item.active), audience },
  }),
  categoryRow: (category, row) => ({ id: idOfCategory(category), ...row }),
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
  fillFile(join(depot, 'data', 'main.db'), tables, rows);
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

const ofCategory = (category: number) => `filter[category]=${idOfCategory(category)}`;

/** It answers an add with only the ids, and an update with an empty body. */
export const asksOf = (token: string) =>
  restAsks({
    headers: `authorization: Bearer ${token}\r\n`,
    items: '/api/records/v1/item',
    update: 'PATCH',
    idOfRow,
    page: (category) => `${ofCategory(category)}&order=soldAt,id&limit=20&expand=category`,
    count: (category) => `${ofCategory(category)}&count=true&limit=0`,
    item: itemFor,
    idIn: ({ ids }) => ids[0],
  });

interface Item {
  readonly sku: string;
  readonly category?: { readonly data?: { readonly label: string } };
}

export const told: Told = {
  get: (body) => JSON.parse(body).sku,
  page: (body) => JSON.parse(body).records.map((item: Item) => [item.sku, item.category?.data?.label]),
  count: (body) => JSON.parse(body).total_count,
};
