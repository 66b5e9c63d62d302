/** A small sample company for the console, with entries in every list. */
import assert from 'node:assert/strict';
import { type Browser, type House, password } from '../administration/house.ts';
import { openClient } from '../harness/client.ts';

const tables = [
  { name: 'Customer', columns: [{ colName: 'name', type: 'varchar', fieldLength: 200 }] },
  {
    name: 'Task',
    columns: [
      { colName: 'title', type: 'varchar', fieldLength: 200 },
      { colName: 'amount', type: 'decimal', precision: 12, scale: 2 },
      { colName: 'details', type: 'json' },
    ],
  },
].map((table) => ({ primary_key: 'objectId', indexes: [], ...table }));

/** Posts as `root`; returns the JSON of the answer. @throws AssertionError if refused */
export type Post = (path: string, body: unknown) => Promise<unknown>;

export function posting(root: Browser): Post {
  return async (path, body) => {
    const { status, text, json } = await root.call('POST', path, body);
    assert.equal(status, 200, text);
    return json;
  };
}

/** Company 1 with a group, a user and version 1.0.0 of the application crm, which has no tables yet. */
export async function makeCrm(post: Post): Promise<void> {
  await post('/companies', { name: 'Acme Ltd' });
  await post('/companies/1/groups', { name: 'Sales' });
  await post('/companies/1/users', { account: 'ann', memberships: [{ groupId: 1, roleId: 5 }] });
  await post('/companies/1/applications', { appId: 'crm', name: 'Customers' });
  await post('/companies/1/applications/crm/versions', { version: '1.0.0', development: true });
}

type Say = (text: string) => string;

/**
 * @param root a signed-in administrator
 * @param say makes each stored text from a plain one
 */
export async function makeSample(house: House, root: Browser, say: Say = (text) => text): Promise<void> {
  const post = posting(root);
  const add = async (path: string, body: unknown) => ((await post(path, body)) as { results: unknown }).results;
  await add('/companies', { name: say('Acme Ltd') });
  await add('/companies', { name: say('Globex 日本') });
  for (const name of ['Sales', 'Support'])
    await add('/companies/1/groups', { name: say(name), description: say(`All of ${name}`) });
  for (const account of ['ann', 'bob']) {
    const names = { account: say(account), firstName: say('First'), lastName: say('Last') };
    await add('/companies/1/users', { ...names, password, memberships: [{ groupId: 1, roleId: 5 }] });
  }
  const crm = { appId: 'crm', name: say('Customers'), localAccounts: true };
  const { appKey } = (await add('/companies/1/applications', crm)) as { appKey: string };
  const path = '/companies/1/applications/crm';
  await add(`${path}/versions`, { version: '1.0.0', development: true });
  await add(`${path}/versions/1.0.0/tables`, { tables });
  const permissions = [{ appId: 'crm', table: 'Task', read: true, add: true, update: false, delete: false }];
  await add('/companies/1/roles', { name: say('Auditor'), description: say('Looks only'), permissions });
  await add(`${path}/providers`, { name: 'idp', issuer: 'https://idp.example.com' });
  const redirectUri = 'https://app.example.com/signed-in';
  await add(`${path}/providers/idp/clients`, { clientId: say('crm'), redirectUri, secret: password });
  await useAsClient(house, appKey, say);
}

/** Signs ann in on her phone, which sends logs. */
async function useAsClient({ server, secrets }: House, appKey: string, say: Say): Promise<void> {
  const client = openClient(`${server.url}/api/1/crm/1_0_0`);
  const deviceUDID = say('phone-of-ann');
  const send = async <Member extends string>(
    method: string,
    path: string,
    options: Parameters<typeof client.call>[2],
    member?: Member,
  ) => {
    const { status, text, json } = await client.call(method, path, options);
    assert.equal(status, 200, text);
    return (json as Record<Member, never>)[member as Member];
  };
  const anonymous: string = await send(
    'GET',
    `/anonymousTokens?${new URLSearchParams({ appKey, deviceUDID })}`,
    {},
    'results',
  );
  const device = { deviceUDID, deviceName: say('Ann’s phone'), osType: say('Android') };
  await send('POST', '/devices', { token: anonymous, body: device });
  const login = { companyId: 1, appId: 'crm', appVersion: '1.0.0', username: say('ann'), password, deviceUDID };
  const info: { userTokens: string } = await send('POST', '/auth/login', { token: anonymous, body: login }, 'authInfo');
  const token = info.userTokens;
  secrets.push(appKey, anonymous, token);
  for (const [logLevel, message] of [
    ['MONITOR', 'Began'],
    ['ERROR', 'Cannot print'],
    ['ERROR', 'No paper'],
  ] as const)
    await send('POST', '/logs', { token, body: { logLevel, message: say(message) } });
  client.close();
}

/** Adds a record that only ann sees, under a transaction id. */
export async function addRecord(root: Browser, say: Say = (text) => text): Promise<void> {
  const data = [
    {
      objectId: 'task-1',
      scopeType: 1,
      title: say('First call'),
      amount: '12.50',
      details: { [say('key')]: say('value') },
    },
  ];
  const operations = [{ op: 'add', objectName: 'Task', data }];
  const path = '/companies/1/applications/crm/versions/1.0.0/records/batch';
  const { status, text } = await root.call('POST', path, { transactionId: 'tablet-7/1', ownerId: 1, operations });
  assert.equal(status, 200, text);
}
