/**
 * Tasks of the console's users, from home to completion: in at most twelve clicks, printed for each, and by keyboard
 * alone.
 */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import { openChromium } from '../../../lab/machine/chromium.ts';
import { type Browser, type House, openHouse, password } from '../../administration/house.ts';
import { rows } from '../rows.ts';
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

/** Uses the tenant switcher, which continues from a company to its applications and versions. */
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

  'import 10,000 rows': async () => {
    await toVersion();
    await click(screen('Records'), link('Import'));
    const chooser = page.waitForEvent('filechooser');
    await click(page.getByLabel('File'));
    const lines = Array.from({ length: 10_000 }, (_, index) => `Customer ${index}`);
    const buffer = Buffer.from(['name', ...lines].join('\n'));
    await (await chooser).setFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
    await click(button('Import 10,000 rows'));
    await page.getByText('Imported 10,000 rows.').waitFor();
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
    await page.getByText('This user sees no records in this table').waitFor();
    await page.getByText('Sales (User)').waitFor();
  },

  'answer “was this written twice?”': async () => {
    await toVersion();
    await click(screen('Transactions'));
    await page.getByLabel('Transaction id').fill('tablet-7/1');
    await click(button('Look up'));
    await page.getByText('Written once.').waitFor();
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

const asked = rows(Object.entries(tasks), 2);
const counted = new Map<string, number>();

for (const [name, work] of asked) {
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
  assert.equal(counted.size, asked.length);
});

/** The focused element, as read by a screen reader. */
const focused = () =>
  page.evaluate<string>(`(() => {
    const { ariaLabel, labels, innerText, title, id } = document.activeElement;
    return (ariaLabel || labels?.[0]?.innerText || innerText || title || id).trim();
  })()`);

const getsFocus = (text: string) => page.locator(':focus').filter({ hasText: text }).waitFor();

/** Presses Tab until this element has the focus. */
async function tabTo(name: string): Promise<void> {
  const passed: string[] = [];
  while (passed.at(-1) !== name) {
    await page.keyboard.press('Tab');
    passed.push(await focused());
    assert.ok(passed.length < 60, `no ${name} among ${passed.join(', ')}`);
  }
}

test('the tab order of the frame matches its visual order, and the frame can be skipped', async () => {
  await page.goto('about:blank');
  await page.goto(`${house.server.url}/admin/#/company/1/groups`);
  await page.locator('main .table-frame').waitFor();
  const walked: string[] = [];
  for (const _ of Array(6)) {
    await page.keyboard.press('Tab');
    walked.push(await focused());
  }
  const bar = ['Skip to the content', 'Rowhouse', 'Choose a company: Acme Ltd', 'root'];
  assert.deepEqual(walked.slice(0, 4), bar);
  const links = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allInnerTexts();
  assert.deepEqual(walked.slice(4), links.slice(0, 2));
  for (const _ of Array(5)) await page.keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  await tabTo('Add a group');
});

test('a dialog takes the focus, keeps it, and returns it, also one above another', async () => {
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add a group' }).waitFor();
  assert.equal(await focused(), 'Name');
  const inside = new Set<string>();
  for (const _ of Array(8)) {
    await page.keyboard.press('Tab');
    // The browser's own controls are between the last and the first.
    if (await page.evaluate<boolean>('document.activeElement !== document.body')) inside.add(await focused());
  }
  assert.deepEqual([...inside].toSorted(), ['Add', 'Close', 'Description', 'Name']);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await getsFocus('Add a group');
  await tabTo('Sales');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Sales' }).locator('form').waitFor();
  await tabTo('Remove this group');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Remove this group' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Remove this group' }).waitFor({ state: 'detached' });
  await getsFocus('Remove this group');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await getsFocus('Sales');
});

test('by keyboard alone a version is chosen and a record is viewed', async () => {
  await page.getByRole('button', { name: /^Choose a company/ }).focus();
  await page.keyboard.press('Enter');
  for (const name of ['Acme Ltd', 'Customers', '1.0.0']) {
    await page.getByRole('option', { name }).waitFor();
    await page.keyboard.press('Enter');
  }
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await getsFocus('Acme Ltd / crm / 1.0.0');
  await tabTo('Records');
  await page.keyboard.press('Enter');
  await page.locator('main .table-frame, main .empty').first().waitFor();
  assert.equal(await focused(), 'Records');
  assert.deepEqual(faults, []);
});

test('nothing moves for those who prefer reduced motion', async () => {
  const moving = async (reducedMotion: 'reduce' | 'no-preference') => {
    await page.emulateMedia({ reducedMotion });
    await page.getByRole('button', { name: 'root' }).click();
    const dialog = page.getByRole('dialog', { name: 'root' });
    await dialog.waitFor();
    const name = await page.evaluate<string>(`getComputedStyle(document.querySelector('dialog')).animationName`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return name;
  };
  assert.equal(await moving('reduce'), 'none');
  // Ensures that the test can fail.
  assert.equal(await moving('no-preference'), 'fade-in');
});
