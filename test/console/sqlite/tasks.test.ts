/** Tasks of those who work with the console, from its home to their end, in at most twelve clicks. Prints the clicks of each. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import { type Browser, type House, openHouse, password } from '../../administration/house.ts';
import { openChromium } from '../../pages/chromium.ts';
import { addRecord, makeSample } from '../sample.ts';
import { openConsole } from '../signed-in.ts';

const clicksMax = 12;

let chromium: Chromium;
let house: House;
let root: Browser;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  root = await house.setUp('root');
  await makeSample(house, root);
  await addRecord(root);
  ({ page, faults } = await openConsole(chromium, house));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

const tables = '/companies/1/applications/crm/versions/1.0.0/tables';

async function get<Found>(path: string): Promise<Found> {
  const { status, text, json } = await root.call('GET', path);
  assert.equal(status, 200, text);
  return json as Found;
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const link = (name: string) => page.getByRole('link', { name, exact: true });
const screen = (name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });
const inDialog = (name: string) => page.getByRole('dialog').last().getByRole('button', { name, exact: true });

async function click(...targets: readonly Locator[]): Promise<void> {
  for (const target of targets) await target.click();
}

const toAcme = () => click(screen('Companies'), link('Acme Ltd'));

/** By the tenant switcher, which goes on from a company to its applications and versions. */
async function toVersion(): Promise<void> {
  await click(page.getByRole('button', { name: /^Choose a company/ }));
  for (const name of ['Acme Ltd', 'Customers', '1.0.0']) await click(page.getByRole('option', { name }).first());
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  'create an administrator': async () => {
    await click(screen('Administrators'), button('Add an administrator'));
    await page.getByLabel('Account').fill('second');
    await click(inDialog('Add'));
    await page.getByRole('row').filter({ hasText: 'second' }).waitFor();
  },

  'add a user who may use an application': async () => {
    await toAcme();
    await click(screen('Users'), button('Add a user'));
    await page.getByLabel('Account').fill('carol');
    await click(button('Add a role in a group'), inDialog('Add'));
    await page.getByRole('row').filter({ hasText: 'carol' }).waitFor();
  },

  'make an application with sign-in': async () => {
    await toAcme();
    await click(screen('Applications'), button('Add an application'));
    await page.getByLabel('Id', { exact: true }).fill('stock');
    await click(inDialog('Add'));
    house.secrets.push(await page.locator('dialog pre').innerText());
    await click(button('I have noted it'), link('stock'), screen('Sign-in'), button('Add a provider'));
    await page.getByLabel('Issuer').fill('https://idp.example.com');
    await click(inDialog('Add'), button('Add a client'));
    await page.getByLabel('Client id').fill('stock');
    await page.getByLabel('Redirect address').fill('https://stock.example.com/in');
    await page.getByLabel('Client secret').fill(password);
    await click(inDialog('Add'));
    await page.getByText('has a secret').waitFor();
  },

  'add a table with a column': async () => {
    await toVersion();
    await click(screen('Tables'), button('Add a table'));
    await page.getByLabel('Name').fill('Invoice');
    await click(inDialog('Add a table'), button('Add a column'));
    await page.getByLabel('Name', { exact: true }).fill('number');
    await click(inDialog('Add a column'), button('Apply 1 change'));
    await page.getByText('The tables are changed').waitFor();
    const { results } = await get<{ results: { name: string }[] }>(tables);
    assert.ok(results.some(({ name }) => name === 'Invoice'));
  },

  'undo a dropped column': async () => {
    const { revision } = await get<{ revision: number }>(tables);
    const changes = [{ op: 'dropColumn', table: 'Task', column: 'amount' }];
    assert.equal((await root.call('POST', `${tables}/changes`, { revision, changes })).status, 200);
    await toVersion();
    await click(screen('Tables'), link('Bin (1)'), button('Restore: Task.amount'), inDialog('Restore'));
    await click(button('Apply 1 change'));
    await page.getByText('The tables are changed').waitFor();
    assert.match(JSON.stringify(await get(tables)), /"amount"/);
  },

  'find why bob can’t see a record': async () => {
    await toVersion();
    await click(screen('Browse as user'));
    await page.getByLabel('Find a user').fill('bob');
    await page.getByRole('option', { name: /^bob/ }).waitFor({ state: 'attached' });
    await page.getByRole('option', { name: /^ann/ }).waitFor({ state: 'detached' });
    await page.getByLabel('Reason').fill('Ticket 7');
    await click(button('Look'));
    const answered = page.waitForResponse(/records\/Task\/select/);
    await Promise.all([answered, page.getByLabel('Table').selectOption('Task')]);
    await page.getByText('This user sees no record of this table').waitFor();
    await page.getByText('Sales (User)').waitFor();
  },

  'answer “was this written twice?”': async () => {
    await toVersion();
    await click(screen('Transactions'));
    await page.getByLabel('Transaction id').fill('tablet-7/1');
    await click(button('Look up'));
    await page.getByText('Written, once.').waitFor();
  },

  'end a stolen session': async () => {
    await toAcme();
    await click(screen('Sessions'), button('End: ann, Ann’s phone'), inDialog('End'));
    await page.getByText('One session has ended').waitFor();
  },

  'give a role rights on a table': async () => {
    await toAcme();
    await click(screen('Roles'), link('Auditor'), page.getByLabel('Customer: read'), inDialog('Save'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(JSON.stringify(await get('/companies/1/roles/100/permissions')), /"Customer"/);
  },

  'find an error in client logs': async () => {
    await toAcme();
    await click(screen('Applications'), link('Customers'), screen('Client logs'));
    await page.getByLabel('Level', { exact: true }).selectOption('ERROR');
    await page.getByPlaceholder('Search').fill('print');
    await page.getByRole('row').filter({ hasText: 'No paper' }).waitFor({ state: 'detached' });
    await click(page.getByRole('row').filter({ hasText: 'Cannot print' }).getByRole('button'));
    await page.getByRole('dialog').getByText('phone-of-ann').waitFor();
  },
};

const counted = new Map<string, number>();

for (const [name, work] of Object.entries(tasks)) {
  test(name, async () => {
    await page.goto('about:blank');
    await page.goto(`${house.server.url}/admin/`);
    await work();
    const clicks = await page.evaluate<number>('inPage.clicks()');
    counted.set(name, clicks);
    assert.ok(clicks > 0 && clicks <= clicksMax, `${clicks} clicks`);
    assert.deepEqual(faults, []);
  });
}

test('every task was counted', (t: TestContext) => {
  for (const [name, clicks] of counted) t.diagnostic(`${String(clicks).padStart(2)} clicks: ${name}`);
  assert.equal(counted.size, Object.keys(tasks).length);
});
