/**
 * The screen of tables in a real browser: changes are collected, planned and made; the bin; conflicting changes; the
 * picture.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { axeFaults } from '../../lab/machine/axe.ts';
import { openChromium } from '../../lab/machine/chromium.ts';
import { type Browser, type House, openHouse } from '../administration/house.ts';
import { makeCrm, type Post, posting } from './sample.ts';
import { openConsole } from './signed-in.ts';

const version = '/companies/1/applications/crm/versions/1.0.0';

let chromium: Chromium;
let house: House;
let root: Browser;
let post: Post;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  root = await house.setUp('root');
  post = posting(root);
  const text = (colName: string) => ({ colName, type: 'varchar', fieldLength: 200 });
  await makeCrm(post);
  await post('/companies/1/applications/crm/versions', { version: '1.1.0', shareWith: '1.0.0' });
  const tables = [
    { name: 'Customer', columns: [text('name')] },
    { name: 'Task', columns: [text('title')] },
  ];
  await post(`${version}/tables`, { tables });
  const data = [{ scopeType: '3', title: 'Call' }];
  await post(`${version}/records/batch`, { ownerId: 1, operations: [{ op: 'add', objectName: 'Task', data }] });
  ({ page, faults } = await openConsole(chromium, house, { at: '/company/1/app/crm/1.0.0/tables' }));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

async function tablesNow(): Promise<{ revision: number; names: string[] }> {
  const { json } = await root.call('GET', `${version}/tables`);
  const { results, revision } = json as {
    results: { name: string; columns: { colName: string }[] }[];
    revision: number;
  };
  const names = results.flatMap(({ name, columns }) => columns.map(({ colName }) => `${name}.${colName}`));
  return { revision, names };
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const dialog = (name: string) => page.getByRole('dialog', { name });
const send = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const isMade = () => page.getByText('pending change').waitFor({ state: 'detached' });

/** Counts queries of version 1.0.0 that joined two columns, as a process of the service does. */
async function countJoin(one: [string, string], other: [string, string], queries: number): Promise<void> {
  const { logs, spaces } = house.server.storage;
  const { tables } = await spaces.definition(1);
  const end = ([table, column]: [string, string]) => {
    const { id, columns } = tables.get(table) ?? assert.fail(table);
    return `${id}.${columns.find(({ name }) => name === column)?.number}`;
  };
  const day = Math.floor(house.clock.ms / 86_400_000) * 86_400_000;
  const joined = [end(one), end(other)].join('=');
  const row = { space_id: 1, version: '1.0.0', day, joined, queries };
  await logs.write([logs.build.insertInto('version_join').values(row)]);
}

/** Whether the browser would ask before leaving or reloading the page. */
const asksBeforeLeaving = () =>
  page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);

test('a table with a reference is added, and nothing is changed before it is applied', async () => {
  await button('Add a table').click();
  await page.getByLabel('Name').fill('9');
  await page.keyboard.press('Enter');
  await dialog('Add a table').getByText('got "9"').waitFor();
  await page.getByLabel('Name').fill('Invoice');
  await page.keyboard.press('Enter');
  await button('Add a column').click();
  await page.getByLabel('Name').fill('customerId');
  await page.getByLabel('Refers to').selectOption('Customer');
  await send('Add a column');
  await page.getByText('Add table Invoice with 1 column').waitFor();
  await page.getByText('1.1.0 share these tables').waitFor();
  assert.deepEqual((await tablesNow()).names, ['Customer.name', 'Task.title']);
  await button('Apply 1 change').click();
  await isMade();
  assert.deepEqual((await tablesNow()).names, ['Customer.name', 'Task.title', 'Invoice.customerId']);
});

test('lost values are reported and confirmed by name, and restored from the bin under another name', async () => {
  await page.getByRole('link', { name: 'All tables' }).click();
  await button('Task').click();
  await button('Drop: title').click();
  await page.getByText('1 value goes to the bin').waitFor();
  await button('Apply 1 change').click();
  const apply = dialog('Apply 1 change').getByRole('button', { name: 'Apply 1 change' });
  assert.equal(await apply.isDisabled(), true);
  await page.getByLabel('Type Task.title to confirm').fill('Task.title');
  await apply.click();
  await isMade();
  assert.deepEqual((await tablesNow()).names, ['Customer.name', 'Invoice.customerId']);
  await page.getByRole('link', { name: 'All tables' }).click();
  await page.getByRole('link', { name: 'Bin (1)' }).click();
  await button('Restore: Task.title').click();
  await page.getByLabel('Under the name').fill('subject');
  await send('Restore');
  await button('Apply 1 change').click();
  await page.getByRole('heading', { name: 'The bin is empty' }).waitFor();
  assert.deepEqual((await tablesNow()).names, ['Customer.name', 'Task.subject', 'Invoice.customerId']);
});

test('when someone else changed the tables, the pending changes are kept, planned again, and then made', async () => {
  await page.getByRole('link', { name: 'List' }).click();
  await button('Customer').click();
  await button('Change: name').click();
  await page.getByLabel('Name', { exact: true }).fill('label');
  await send('Change');
  await page.getByText('Rename Customer.name to label').waitFor();
  const { revision } = await tablesNow();
  await post(`${version}/tables/changes`, { revision, changes: [{ op: 'renameTable', table: 'Task', to: 'Job' }] });
  await button('Apply 1 change').click();
  await page.getByText('Somebody else changed the tables in the meantime').waitFor();
  assert.deepEqual((await tablesNow()).names, ['Customer.name', 'Job.subject', 'Invoice.customerId']);
  // Pending changes stay while another screen is open.
  await page.getByRole('link', { name: 'Records' }).click();
  assert.equal(await asksBeforeLeaving(), true);
  await page.goBack();
  await button('Apply 1 change').click();
  await isMade();
  assert.equal(await asksBeforeLeaving(), false);
  assert.deepEqual((await tablesNow()).names, ['Customer.label', 'Job.subject', 'Invoice.customerId']);
});

test('a long change shows its progress, continues while another screen is open, and can be cancelled', async () => {
  // The service’s own answers, except the progress: until it is cancelled, the job is reported as running.
  let isGivenUp = false;
  await page.route('**/tables/jobs/*', async (route) => {
    isGivenUp ||= route.request().method() === 'DELETE';
    const response = await route.fetch();
    const json = await response.json();
    if (!isGivenUp) json.results = { jobId: json.results.jobId, state: 'running', progress: 42 };
    await route.fulfill({ response, json });
  });
  await button('Add an index').click();
  await button('Add to the index').click();
  await send('Add an index');
  await button('Apply 1 change').click();
  await page.getByRole('progressbar', { name: 'The tables are being changed (42%)' }).waitFor();
  assert.equal(await button('Add a table').count(), 0);
  await page.getByRole('link', { name: 'Records' }).click();
  await page.getByRole('heading', { name: 'Records' }).waitFor();
  await page.goBack();
  await page.getByText('(42%)').waitFor();
  await button('Cancel the change').click();
  // It was over already.
  await isMade();
  await button('Drop the index: label').waitFor();
  await page.unroute('**/tables/jobs/*');
});

test('a change that a dry run can only partly check says so', async () => {
  const data = [{ scopeType: '3', label: '7' }];
  await post(`${version}/records/batch`, { ownerId: 1, operations: [{ op: 'add', objectName: 'Customer', data }] });
  await button('Change: label').click();
  await page.getByLabel('Type', { exact: true }).selectOption('long');
  await send('Change');
  const pending = page.getByRole('region', { name: 'Pending changes' }).getByRole('listitem');
  await pending.getByText('Change Customer.label').waitFor();
  await button('Add an index').click();
  await page.getByLabel('Unique: no two records with the same values').check();
  await button('Add to the index').click();
  await send('Add an index');
  await pending.nth(1).getByText('not fully checked: may still be refused because of the records').waitFor();
  assert.doesNotMatch(String(await pending.nth(0).textContent()), /not fully checked/);
  await button('Discard all').click();
  await isMade();
});

test('the picture leads to the tables by keyboard, and axe finds no fault in any view', async () => {
  await countJoin(['Customer', 'objectId'], ['Invoice', 'customerId'], 12);
  await page.getByRole('link', { name: 'All tables' }).click();
  // A dialog that is fading in has less contrast.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const view of ['JSON', 'Bin', 'List', 'Picture']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.locator(`[aria-current="page"]:text("${view}")`).waitFor();
    assert.deepEqual(await axeFaults(page), [], view);
  }
  await page.getByText('12 queries', { exact: true }).waitFor();
  assert.equal(await page.locator('.picture .join').count(), 1);
  await page.getByText('Lines as a table').click();
  await page.getByRole('row', { name: 'Customer objectId Invoice.customerId join in 12 queries' }).waitFor();
  await page.getByRole('row', { name: 'Invoice customerId Customer reference' }).waitFor();
  await page.getByRole('link', { name: 'Invoice, 1 column, refers to Customer' }).focus();
  assert.equal(await page.locator('.picture .near').count(), 2, 'its reference and its join');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Invoice' }).waitFor();
  await button('Add a column').click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await axeFaults(page), [], colorScheme);
  }
  assert.deepEqual(faults, []);
});
