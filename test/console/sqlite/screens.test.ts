/**
 * The console's screens in a real browser, from the users' view: actions, permissions, texts. What the service answers
 * them is tested on both engines in `test/admin/`, and the screens of tables and records also here.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { axeFaults } from '../../../lab/machine/axe.ts';
import { openChromium } from '../../../lab/machine/chromium.ts';
import { type Browser, type House, openHouse, password } from '../../administration/house.ts';
import { startMadeUpProvider } from '../../auth/made-up-provider.ts';
import { makeSample } from '../sample.ts';
import { openConsole } from '../signed-in.ts';

let chromium: Chromium;
let house: House;
let root: Browser;
let page: Page;
let faults: readonly string[];

before(async () => {
  house = await openHouse();
  chromium = await openChromium();
  root = await house.setUp('root');
  await makeSample(house, root);
  ({ page, faults } = await openConsole(chromium, house));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).first();
const button = (name: string) => page.getByRole('button', { name, exact: true });
const row = (text: string) => page.getByRole('row').filter({ hasText: text });

test('a group is added, and removed after its name was typed', async () => {
  await page.getByRole('link', { name: 'Acme Ltd', exact: true }).click();
  await link('Groups').click();
  await button('Add a group').click();
  // The first field has the focus.
  await page.getByRole('dialog', { name: 'Add a group' }).waitFor();
  await page.keyboard.type('Warehouse');
  await page.keyboard.press('Enter');
  await row('Warehouse').getByRole('link').click();
  await button('Remove this group').click();
  const removing = page.getByRole('dialog', { name: 'Remove this group' });
  await removing.getByText('All members lose').waitFor();
  const remove = removing.getByRole('button', { name: 'Remove this group' });
  assert.equal(await remove.isDisabled(), true);
  await removing.getByLabel('Type Warehouse to confirm').fill('Warehouse');
  await remove.click();
  await page.getByText('Removed Warehouse').waitFor();
  await row('Warehouse').waitFor({ state: 'detached' });
});

test('a right is selected by keyboard in the matrix of a role', async () => {
  await link('Roles').click();
  await page.getByRole('link', { name: 'Auditor' }).click();
  assert.equal(await page.getByLabel('Task: read').isChecked(), true);
  await page.getByLabel('Customer: read').focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await button('Save').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { json } = await root.call('GET', '/companies/1/roles/100/permissions');
  const rights = (json as { results: { table: string; add: boolean; read: boolean; update: boolean }[] }).results;
  const found = rights.find(({ table }) => table === 'Customer');
  assert.deepEqual([found?.read, found?.add, found?.update], [true, true, false]);
});

test('an application is added, its key shown once, and its provider gets a client whose secret is never shown', async () => {
  await link('Applications').click();
  await button('Add an application').click();
  await page.getByLabel('Id', { exact: true }).fill('stock');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('It is shown only now').waitFor();
  const appKey = await page.locator('dialog pre').innerText();
  assert.match(appKey, /^\S{40,}$/);
  house.secrets.push(appKey);
  await button('I have noted it').click();
  await row('stock').getByRole('link', { name: 'stock', exact: true }).click();
  await link('Sign-in').click();
  await button('Add a provider').click();
  await page.getByLabel('Issuer').fill('https://idp.example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await button('Add a client').click();
  await page.getByLabel('Client id').fill('stock');
  await page.getByLabel('Redirect address').fill('https://stock.example.com/in');
  await page.getByLabel('Client secret').fill('the secret of the client');
  house.secrets.push('the secret of the client');
  await page.getByRole('dialog', { name: 'Add a client' }).getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('has a secret').waitFor();
  await page.getByText('https://stock.example.com/in').waitFor();
  assert.ok(!(await page.content()).includes('the secret of the client'));
});

test('the sign-in of a client is tried: the failed check is named, and the claims are shown', async (t) => {
  const sent = (name: string) => new URL(location).searchParams.get(name) as string;
  let location = '';
  const provider = await startMadeUpProvider(async () => sent('nonce'), 'stock');
  t.after(() => provider.close());
  const providers = '/companies/1/applications/stock/providers';
  const redirectUri = 'https://stock.example.com/trial';
  await root.call('POST', providers, { name: 'trial', issuer: provider.issuer });
  await root.call('POST', `${providers}/trial/clients`, { clientId: 'stock', redirectUri });
  await page.goto(`${house.server.url}/admin/#/company/1/app/stock/providers/trial`);
  const dialog = page.getByRole('dialog', { name: 'Try the sign-in: stock' });
  for (const [key, outcome] of [
    ['', 'All claims'],
    ['unknown', 'failed The signature of the ID token is right'],
  ] as const) {
    provider.answers.header = key === '' ? {} : { kid: key };
    await button('Try the sign-in: stock').click();
    location = (await dialog.getByRole('link', { name: 'Sign in at the provider' }).getAttribute('href')) as string;
    await dialog.getByText('It publishes its keys').waitFor();
    const address = `${redirectUri}?${new URLSearchParams({ code: 'the-code-of-a-trial', state: sent('state') })}`;
    await dialog.getByLabel('Address that the provider').fill(address);
    await dialog.getByRole('button', { name: 'Check' }).click();
    await dialog.getByText(outcome).waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await dialog.getByRole('button', { name: 'Close' }).click();
  }
  house.secrets.push('the-code-of-a-trial');
});

test('client logs are filtered in the address, and an entry is shown in full', async () => {
  await page.goto(`${house.server.url}/admin/#/company/1/app/crm/logs?level=ERROR`);
  await row('No paper').waitFor();
  assert.equal(await row('Began').count(), 0);
  await page.getByPlaceholder('Search').fill('print');
  await row('No paper').waitFor({ state: 'detached' });
  assert.match(page.url(), /level=ERROR&search=print$/);
  await row('Cannot print').getByRole('button').click();
  await page.getByRole('dialog').getByText('Cannot print').waitFor();
  await page.keyboard.press('Escape');
  const exported = await page.getByRole('link', { name: 'Export' }).getAttribute('href');
  const lines = await (await page.request.get(`${house.server.url}/admin/${exported}`)).text();
  assert.equal(lines.trim().split('\n').length, 1, lines);
  await button('Log levels').click();
  await page.getByLabel('1.0.0').selectOption('ERROR');
  await page.getByText('Clients of 1.0.0 now send ERROR').waitFor();
  await page.keyboard.press('Escape');
});

test('followed logs are requested every three seconds until no longer followed', async () => {
  const own = await page.context().newPage();
  await own.clock.install();
  await own.goto(`${house.server.url}/admin/#/company/1/app/crm/logs`);
  await own.getByRole('row').filter({ hasText: 'Began' }).waitFor();
  let count = 0;
  own.on('request', () => {
    count += 1;
  });
  const asked = () => own.waitForResponse(/\/logs\?/);
  await Promise.all([asked(), own.getByLabel('Follow').check()]);
  for (const _ of [1, 2]) await Promise.all([asked(), own.clock.runFor(3_000)]);
  assert.equal(count, 3);
  await own.getByLabel('Follow').uncheck();
  await own.clock.runFor(30_000);
  assert.equal(count, 3);
  await own.close();
});

test('the audit trail finds an act, and shows its detail', async () => {
  await link('Audit trail').click();
  await page.getByLabel('Action').fill('role.update');
  await row('role.update').getByRole('button').click();
  const entry = page.getByRole('dialog');
  await entry.getByText('root (administrator)').waitFor();
  assert.equal(typeof JSON.parse(await entry.locator('pre').innerText()), 'object');
  await page.keyboard.press('Escape');
  assert.deepEqual(faults, []);
});

test('a session is ended where it is seen', async () => {
  await page.goto(`${house.server.url}/admin/#/company/1/users/1`);
  await page.getByRole('link', { name: 'See and end them' }).click();
  await button('End: ann, Ann’s phone').click();
  await page.getByText('ann has to sign in again').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
  await page.getByText('One session has ended').waitFor();
  await row('Ann’s phone').waitFor({ state: 'detached' });
});

const inCrm = '/company/1/app/crm/1.0.0';

test('a record is added for its owner, found by a condition, and changed', async () => {
  await page.goto(`${house.server.url}/admin/#${inCrm}/records/Task`);
  await page.getByRole('heading', { name: 'No records yet' }).waitFor();
  await button('Add a record').click();
  await page.getByLabel('Find the owner').fill('bob');
  await page.getByRole('option', { name: /^bob/ }).waitFor({ state: 'attached' });
  await page.getByRole('textbox', { name: 'title' }).fill('First call');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await row('First call').waitFor();
  const condition = page.getByLabel('Condition');
  await condition.fill('#r.titel = 1');
  await page.getByText('Character 1: unknown column "titel"').waitFor();
  await condition.fill("#r.title LIKE 'First%'");
  await page.getByText('unknown column').waitFor({ state: 'detached' });
  await button('Find').click();
  await row('First call').getByRole('button').click();
  await page.getByText('groups', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'title' }).fill('Call back');
  await button('Save').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Nothing found').waitFor();
  await button('Clear').click();
  await row('Call back').waitFor();
});

test('of two who change a record at once, the second sees both, and loses nothing', async () => {
  await row('Call back').getByRole('button').click();
  await page.getByRole('textbox', { name: 'title' }).fill('Mine');
  const { json } = await root.call('POST', '/companies/1/applications/crm/versions/1.0.0/records/Task/select', {
    from: { phyName: 'Task', alias: 't' },
  });
  const [{ t: record }] = (json as { rows: [{ t: { objectId: string; serverUpdateTime: string } }] }).rows;
  const data = [{ objectId: record.objectId, serverUpdateTime: record.serverUpdateTime, title: 'Theirs' }];
  const operations = [{ op: 'update', objectName: 'Task', data }];
  await root.call('POST', '/companies/1/applications/crm/versions/1.0.0/records/batch', { operations });
  await button('Save').click();
  await page.getByRole('row', { name: 'title Call back Mine Theirs' }).waitFor();
  await button('Keep mine and save again').click();
  await button('Save').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row('Mine').waitFor();
});

test('the view of a user is read-only, with the reason in the audit trail', async () => {
  await link('Browse as user').click();
  await page.getByLabel('Find a user').fill('bob');
  await page.getByRole('option', { name: /^bob/ }).waitFor({ state: 'attached' });
  await page.getByLabel('Reason').fill('Ticket 7');
  await button('Look').click();
  await page.getByText('You see what bob sees. Read-only.').waitFor();
  await page.getByLabel('Table').selectOption('Task');
  await row('Mine').waitFor();
  await page.getByText('Sales (User)').waitFor();
  const { json } = await root.call('GET', '/audit?action=record.browse&limit=1&sort=-id');
  assert.match(JSON.stringify(json), /Ticket 7/);
});

test('a query is tried by keyboard, and a transaction is looked up', async () => {
  await link('Playground').click();
  const query = page.getByLabel('Query');
  await query.fill(
    '{"from": {"phyName": "Task", "alias": "t"}, "select": [{"name": "titles", "expression": {"source": "#t.title"}}]}',
  );
  await query.press('Control+Enter');
  await page.getByText(/^1 rows in/).waitFor();
  await page.getByRole('cell', { name: 'Mine' }).waitFor();
  await button('Explain').click();
  await page
    .getByRole('listitem')
    .filter({ hasText: /(scans all of|reads) Task/ })
    .waitFor();
  await page.getByLabel('Form').selectOption('older');
  await page.getByLabel('Start with a table').selectOption('Task');
  await button('Run').click();
  await page.getByText(/^1 rows in/).waitFor();
  await page.getByRole('columnheader', { name: 'Task.title' }).waitFor();
  await page.getByLabel('Form').selectOption('select');
  await query.fill('{"from": {"phyName": "Tasks", "alias": "t"}}');
  await button('Run').click();
  await page.getByRole('alert').getByText('did you mean "Task"').waitFor();
  const transactionId = 'tablet-7/1';
  const operations = [{ op: 'add', objectName: 'Customer', data: [{ name: 'x' }] }];
  const batch = { transactionId, ownerId: 1, operations };
  await root.call('POST', '/companies/1/applications/crm/versions/1.0.0/records/batch', batch);
  await link('Transactions').click();
  await page.getByLabel('Transaction id').fill('tablet-7/2');
  await button('Look up').click();
  await page.getByRole('heading', { name: 'No transaction with this id' }).waitFor();
  await page.getByLabel('Transaction id').fill(transactionId);
  await button('Look up').click();
  await page.getByText('Written once.').waitFor();
  await page.getByText('add Customer').waitFor();
  assert.deepEqual(faults, []);
});

test('home marks the completed steps of a company, and links to the next one', async () => {
  const home = (companyId: number) => page.goto(`${house.server.url}/admin/#/company/${companyId}/home`);
  const done = async () => {
    await page.locator('.step').nth(4).waitFor();
    return await page.locator('.step.done strong').allInnerTexts();
  };
  await home(1);
  await page.getByRole('heading', { name: 'Everything is set up' }).waitFor();
  assert.equal((await done()).length, 5);
  const made = await page.locator('.step.done a').evaluateAll((links) => links.map((one) => one.getAttribute('href')));
  const version = '#/company/1/app/crm/1.0.0';
  assert.deepEqual(made, [
    '#/company/1/applications',
    '#/company/1/app/crm/providers',
    `${version}/tables`,
    '#/company/1/sessions',
    `${version}/records`,
  ]);
  await page.getByRole('heading', { name: 'Health in the last hour' }).waitFor();
  await page.getByRole('img', { name: /^Successful requests\. now: \d/ }).waitFor();

  await home(2);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  assert.deepEqual(await done(), []);
  const guide = await page.getByRole('link', { name: 'Read the guide' }).getAttribute('href');
  assert.equal((await page.request.get(new URL(guide ?? '', `${house.server.url}/admin/`).href)).status(), 200);
  await page.getByRole('link', { name: 'Add an application' }).click();
  await page.getByLabel('Id', { exact: true }).fill('till');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  house.secrets.push(await page.locator('dialog pre').innerText());
  await button('I have noted it').click();
  await link('Home').click();
  await page.getByRole('link', { name: 'Add a provider' }).click();
  await page.getByRole('dialog', { name: 'Add a provider' }).waitFor();
  await page.keyboard.press('Escape');
  await link('Home').click();
  await page.getByRole('link', { name: 'Define a table' }).click();
  await page.getByLabel('Version', { exact: true }).fill('1.0.0');
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await row('1.0.0').getByRole('link', { name: '1.0.0', exact: true }).click();
  await page.getByRole('heading', { name: 'Tables', exact: true }).waitFor();
  await link('Home').click();
  await page.getByRole('link', { name: 'Define a table' }).click();
  await page.getByText('till 1.0.0').first().waitFor();
  assert.match(page.url(), /\/company\/2\/app\/till\/1\.0\.0\/tables$/);
  await link('Home').click();
  assert.deepEqual(await done(), ['Add an application']);
  assert.deepEqual(faults, []);
});

test('settings in force are found by name and by origin, and no secret is shown', async () => {
  await page.goto(`${house.server.url}/admin/#/settings`);
  await page.getByRole('row', { name: 'secretKey not shown the starting program' }).waitFor();
  assert.ok(!(await page.content()).includes(house.settings.secretKey));
  await page.getByPlaceholder('Search').fill('how long a query may run');
  await page.getByRole('row', { name: 'secretKey not shown' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'queryTimeMs 10000 milliseconds default 10000' }).waitFor();
  await page.getByLabel('Only settings that were changed').check();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
});

test('the screen of nodes says when there is no cluster', async () => {
  await link('Nodes').click();
  await page.getByText('Only PostgreSQL with the extension Citus has nodes.').waitFor();
});

test('nodes and data spaces of a cluster are shown, and a data space is moved', async (t) => {
  const own = await page.context().newPage();
  t.after(() => own.close());
  await own.clock.install();
  const problem = 'The node db2:5432 does not respond: start it.';
  const node = { node: 'db1:5432', role: 'coordinator', reachable: true, takesSpaces: false, problem: null };
  const worker = { ...node, role: 'worker', takesSpaces: true, bytes: 2 ** 20, spaces: 1 };
  const nodes = [
    { ...node, spaces: 0, bytes: 0 },
    { ...worker, node: 'db2:5432', reachable: false, problem, spaces: 7, bytes: null },
    { ...worker, node: 'db3:5432' },
    { ...worker, node: 'db4:5432' },
  ];
  const space = { spaceId: 4, node: 'db3:5432', companyId: 1, appId: 'crm', versions: ['1.0.0'], bytes: 2 ** 20 };
  const move = { spaceId: 4, to: 'db4:5432', beginTime: new Date(0).toISOString(), error: null };
  const moves: object[] = [];
  let asked: unknown = null;
  await own.route('**/admin/api/nodes{,/**}', async (route) => {
    const request = route.request();
    if (request.method() === 'POST') {
      asked = request.postDataJSON();
      moves.unshift({ ...move, state: 'running', done: 1, of: 4, unit: 'bytes' });
    }
    const of = { nodes, moves, spaces: [space] }[new URL(request.url()).pathname.split('/').at(-1) as 'nodes'];
    await route.fulfill({ json: { errCode: 0, status: 'OK', results: of, count: 1 } });
  });
  await own.goto(`${house.server.url}/admin/#/nodes`);
  await own.getByRole('alert').getByText(problem).waitFor();
  await own.getByRole('row', { name: 'db1:5432 coordinator responds no 0 0' }).waitFor();
  await own.getByRole('row', { name: 'db2:5432 worker away yes 7 –' }).waitFor();
  await own.getByRole('row', { name: '4 db3:5432 1 crm 1.0.0 1' }).getByRole('button').click();
  const drawer = own.getByRole('dialog', { name: 'Data space 4' });
  const options = drawer.getByLabel('Move to').locator('option');
  await options.first().waitFor({ state: 'attached' });
  assert.deepEqual(await options.allInnerTexts(), ['db4:5432']);
  await drawer.getByRole('button', { name: 'Move' }).click();
  assert.equal(asked, null);
  await own.getByRole('dialog', { name: 'Move', exact: true }).getByRole('button', { name: 'Move' }).click();
  const item = own.getByRole('listitem').filter({ hasText: 'Data space 4 to db4:5432' });
  await item.getByText('under way').waitFor();
  assert.deepEqual(asked, { spaceId: 4, to: 'db4:5432' });
  assert.deepEqual(await axeFaults(own), []);
  // It is asked again by itself.
  Object.assign(space, { node: 'db4:5432' });
  Object.assign(moves[0] as object, { state: 'done' });
  await own.clock.runFor(3_000);
  await item.getByText('done').waitFor();
  await own.getByRole('row', { name: '4 db4:5432 1 crm' }).waitFor();
});

test('after the end of a session, the user signs in again over the screen, and typed text stays', async () => {
  await page.goto(`${house.server.url}/admin/#/company/1/home`);
  await link('Groups').click();
  await button('Add a group').click();
  const adding = page.getByRole('dialog', { name: 'Add a group' });
  await adding.getByLabel('Name').fill('Typed before');
  await page.context().clearCookies();
  await adding.getByRole('button', { name: 'Add', exact: true }).click();
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  await again.getByLabel('Password').fill(password);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await row('Typed before').waitFor();
});

test('users with fewer permissions are shown less', async () => {
  const { page: own, faults: ownFaults } = await openConsole(chromium, house, { account: 'ann', companyId: 1 });
  const links = own.getByRole('navigation').getByRole('link');
  assert.deepEqual(await links.allInnerTexts(), ['Users', 'Roles', 'Sessions']);
  await own.getByRole('row').filter({ hasText: 'ann' }).waitFor();
  assert.equal(await own.getByRole('button', { name: 'Add a user' }).count(), 0);
  await own.goto(`${house.server.url}/admin/#/company/1/groups`);
  await own.getByText('Your roles don’t permit this screen.').waitFor();
  await own.goto(`${house.server.url}/admin/#/company/1/roles/100`);
  assert.equal(await own.getByRole('textbox', { name: 'Name' }).isDisabled(), true);
  assert.deepEqual(ownFaults, []);
});

test('one of 10,000 companies is found while typing, and only the offered ones are loaded', async (t) => {
  const { build, write } = house.server.storage.directory;
  const names = Array.from({ length: 10_000 }, (_, index) => `Firm ${String(index).padStart(5, '0')}`);
  for (let from = 0; from < names.length; from += 500) {
    const rows = names.slice(from, from + 500).map((name) => ({ name, created: 1 }));
    await write([build.insertInto('company').values(rows)]);
  }
  const own = await page.context().newPage();
  await own.goto(`${house.server.url}/admin/#/home`);
  let [requests, rows] = [0, 0];
  own.on('response', async (response) => {
    if (!response.url().includes('/companies?')) return;
    requests += 1;
    // A response superseded by the next one has no body.
    const body = (await response.json().catch(() => ({ results: [] }))) as { results: readonly unknown[] };
    rows = Math.max(rows, body.results.length);
  });
  await own.getByRole('button', { name: /^Choose a company/ }).click();
  await own.getByRole('option').nth(19).waitFor();
  const times: number[] = [];
  const sought = [9_876, 12, 5_555, 4_321, 7_000];
  for (const number of sought) {
    const name = names[number] as string;
    await own.getByRole('combobox').fill(name.slice(0, -1));
    await own.getByRole('option', { name: `${name.slice(0, -1)}0` }).waitFor();
    const begun = performance.now();
    await own.keyboard.type(name.slice(-1));
    await own.getByRole('option', { name }).waitFor();
    await own.getByRole('option', { name: 'Firm' }).nth(1).waitFor({ state: 'detached' });
    times.push(performance.now() - begun);
  }
  t.diagnostic(`found in ${times.map((ms) => Math.round(ms)).join(', ')} ms after the last key`);
  // Home requests the newest ones, and the switcher the first ones when it opens.
  assert.ok(requests <= 2 * sought.length + 2, `${requests} requests`);
  assert.equal(rows, 20);

  // Typing faster than the service answers still gives the right result.
  const { promise: isEntered, resolve: entered } = Promise.withResolvers<void>();
  await own.route(/07777/, async (route) => {
    await isEntered;
    await route.continue();
  });
  await own.getByRole('combobox').selectText();
  await own.keyboard.type('Firm 07777');
  await own.keyboard.press('Enter');
  entered();
  await own.getByRole('dialog', { name: 'Choose an application' }).waitFor();
  await own.getByText('Firm 07777', { exact: true }).waitFor();
  await own.close();
});
