/**
 * The screen of records in a real browser: navigating and changing cells by keyboard, conflicting changes, conditions
 * from the menu.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser as Chromium, Download, Page, Route } from 'playwright-core';
import { axeFaults } from '../../lab/machine/axe.ts';
import { openChromium } from '../../lab/machine/chromium.ts';
import { type House, openHouse } from '../administration/house.ts';
import { makeCrm, type Post, posting } from './sample.ts';
import { openConsole } from './signed-in.ts';

const version = '/companies/1/applications/crm/versions/1.0.0';

/** An export begins with 1,000 rows a page; fewer than 200 of these fit. */
const resultBytesMax = 64 * 1024;

let chromium: Chromium;
let house: House;
let post: Post;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse({ resultBytesMax })]);
  post = posting(await house.setUp('root'));
  await makeCrm(post);
  const columns = [
    { colName: 'title', type: 'varchar', fieldLength: 20, required: true },
    { colName: 'amount', type: 'decimal', precision: 8, scale: 2 },
    { colName: 'isDone', type: 'bool' },
    { colName: 'state', type: 'varchar', fieldLength: 20, required: true, default: 'open' },
    { colName: 'note', type: 'varchar', fieldLength: 20, default: 'none' },
  ];
  const indexes = [{ columns: ['title'], unique: true }];
  await post(`${version}/tables`, { tables: [{ name: 'Task', columns, indexes }] });
  const data = [
    { objectId: 't1', title: 'Call', amount: '5', isDone: false },
    { objectId: 't2', title: "Ann's", amount: '7.5' },
    { objectId: 't3', title: 'Write', amount: '9' },
  ];
  await post(`${version}/records/batch`, { ownerId: 1, operations: [{ op: 'add', objectName: 'Task', data }] });
  ({ page, faults } = await openConsole(chromium, house, { at: '/company/1/app/crm/1.0.0/records/Task' }));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

type Task = Readonly<Record<string, unknown>>;

async function stored(objectId: string): Promise<Task> {
  const where = { expression: { source: '#r.objectId = ?', params: [objectId] } };
  const answer = await post(`${version}/records/Task/select`, { from: { phyName: 'Task', alias: 'r' }, where });
  return (answer as { rows: [{ r: Task }] }).rows[0].r;
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
/** A cell by its text. */
const cell = (text: string) => page.getByRole('gridcell').filter({ hasText: text });
const focused = () => page.locator(':focus');
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

test('cells are navigated and edited by keyboard alone, and Tab moves to the next one', async () => {
  await page.getByRole('grid', { name: 'Task' }).waitFor();
  await button('t1').focus();
  await press('ArrowRight', 'F2');
  await page.keyboard.type('Call back');
  await press('Tab');
  await page.getByRole('textbox', { name: 'amount' }).waitFor();
  await page.keyboard.type('12');
  await press('Tab', 'ArrowUp', 'Enter');
  await cell('12.00').waitFor();
  await page.locator('.saving').waitFor({ state: 'detached' });
  const { title, amount, isDone } = await stored('t1');
  assert.deepEqual([title, amount, isDone], ['Call back', '12.00', true]);
  await press('Home');
  assert.equal(await focused().innerText(), 't1');
  await press('Control+End');
  assert.equal(await focused().getAttribute('aria-readonly'), 'true');
});

test('invalid text stays with its reason, Escape restores the value, and refused values can be corrected', async () => {
  await cell('9.00').dblclick();
  await page.getByRole('textbox', { name: 'amount' }).fill('nine');
  await press('Enter');
  await page.getByRole('alert').getByText('expected a decimal number').waitFor();
  await press('Escape');
  assert.equal(await focused().innerText(), '9.00');
  await press('ArrowLeft', 'Enter');
  await page.keyboard.type('Call back');
  await press('Enter');
  await page.getByText('another record has the same value').waitFor();
  await page.locator('td[aria-invalid="true"]').getByText('Call back').waitFor();
  await press('F2');
  await page.keyboard.type('Wrote');
  await press('Enter');
  await page.locator('td[aria-invalid="true"]').waitFor({ state: 'detached' });
  await page.locator('.saving').waitFor({ state: 'detached' });
  assert.equal((await stored('t3')).title, 'Wrote');
});

test('when someone else was first, a cell shows mine and theirs', async () => {
  await cell("Ann's").dblclick();
  const { objectId, serverUpdateTime } = await stored('t2');
  const data = [{ objectId, serverUpdateTime, title: 'Theirs' }];
  await post(`${version}/records/batch`, { operations: [{ op: 'update', objectName: 'Task', data }] });
  await page.keyboard.type('Mine');
  await press('Enter');
  await page.getByRole('row', { name: "title Ann's Mine Theirs" }).waitFor();
  await button('Keep mine and save again').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.saving').waitFor({ state: 'detached' });
  assert.equal((await stored('t2')).title, 'Mine');
});

test('a cell is saved although it can’t be read again, and a conflict that can’t be looked at is not told as gone', async () => {
  const select = '**/records/Task/select';
  const type = async (from: string, to: string) => {
    await cell(from).dblclick();
    await page.keyboard.type(to);
    await press('Enter');
  };
  await page.route(select, (route) => route.abort());
  await type('Wrote', 'Written');
  await cell('Written').waitFor();
  await page.locator('.saving').waitFor({ state: 'detached' });
  assert.equal((await stored('t3')).title, 'Written');
  assert.equal(await page.locator('td[aria-invalid="true"]').count(), 0);
  await type('Written', 'Wrote again');
  await cell('Wrote again').waitFor();
  await page.locator('.saving').waitFor({ state: 'detached' });
  assert.equal((await stored('t3')).title, 'Wrote again');
  const { objectId, serverUpdateTime } = await stored('t3');
  const data = [{ objectId, serverUpdateTime, isDone: true }];
  await post(`${version}/records/batch`, { operations: [{ op: 'update', objectName: 'Task', data }] });
  await type('Wrote again', 'Wrote');
  await page.locator('td[aria-invalid="true"]').getByText('Wrote').waitFor();
  await page.getByRole('status').getByText('can’t be reached').waitFor();
  assert.equal(await page.getByText('This record no longer exists').count(), 0);
  await page.unroute(select);
  await type('Wrote', 'Wrote it');
  await button('Keep mine and save again').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('.saving').waitFor({ state: 'detached' });
});

test('the menu of a cell narrows the condition, by keyboard and by mouse, and removes the value', async () => {
  await cell('Call back').focus();
  await press('Alt+ArrowDown');
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
  await press('ArrowDown', 'ArrowDown', 'Enter');
  await cell('Call back').waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('Condition').inputValue(), "#r.title <> 'Call back'");
  await cell('7.50').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Is less than 7.50' }).waitFor();
  await press('Escape');
  assert.equal(await focused().innerText(), '7.50');
  await button('Actions on amount').click();
  await page.getByRole('menuitem', { name: 'Set to null' }).click();
  await page.locator('.saving').waitFor({ state: 'detached' });
  assert.equal((await stored('t2')).amount, null);
  await button('Clear').click();
});

async function chooseFile(name: string, content: string | Buffer): Promise<void> {
  await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });
}

async function count(): Promise<number> {
  const select = [{ name: 'count', expression: { source: 'COUNT(*)' } }];
  const answer = await post(`${version}/records/Task/select`, { from: { phyName: 'Task', alias: 'r' }, select });
  return (answer as { rows: [{ count: number }] }).rows[0].count;
}

async function textOf(download: Download): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const imported = Array.from({ length: 1_200 }, (_, index) => `row ${index};${index % 10}`);

test('rows of a file are checked before they are sent, and written once although an answer is lost', async () => {
  await page.getByRole('link', { name: 'Import' }).click();
  await chooseFile('tasks.csv', ['title;Amount;seen', ...imported, 'wrong;x;y', 'Mine;1;', ''].join('\n'));
  await page.getByText('1 row can be imported, 1,201 have errors').waitFor();
  await page.getByRole('cell', { name: 'Expected as many fields as the first line has.' }).first().waitFor();
  await chooseFile('tasks.csv', ['title;Amount', ...imported, 'wrong;x', 'Mine;1', ''].join('\n'));
  await page.getByText('1,201 rows can be imported, 1 has errors').waitFor();
  await page.getByRole('cell', { name: 'amount: expected a decimal number' }).waitFor();
  assert.equal(await page.getByLabel('Amount', { exact: true }).inputValue(), 'amount');
  let batches = 0;
  await page.route('**/records/batch', async (route) => {
    batches += 1;
    if (batches !== 2) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await button('Import 1,201 rows').click();
  await page.getByText('The service can’t be reached').waitFor();
  await button('Continue').click();
  await page.getByText('Imported 1,200 rows.').waitFor();
  await page.unroute('**/records/batch');
  assert.equal(await count(), 1_203);
});

test('records are exported in pages that fit an answer, and an export can be stopped', async () => {
  await page.getByRole('link', { name: 'Back to the records' }).click();
  const answers: number[] = [];
  page.on('response', (response) => response.url().endsWith('/Task/select') && answers.push(response.status()));
  const [download] = await Promise.all([page.waitForEvent('download'), button('Export').click()]);
  const lines = (await textOf(download)).trim().split('\n');
  assert.equal(new Set(lines.map((line) => JSON.parse(line).objectId)).size, await count());
  assert.equal(lines.length, await count());
  assert.ok(answers.includes(413), answers.join());
  const held = new Promise<Route>((resolve) => page.route('**/Task/select', resolve, { times: 1 }));
  await button('Export').click();
  await held;
  await page.getByText('Task Exporting: 0 of').waitFor();
  await button('Stop the export').click();
  await button('Export').waitFor();
  await page.getByRole('link', { name: 'Import' }).click();
});

test('rows with errors are saved, corrected and imported, and a file that is chosen again is not written again', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), button('Save the rows with errors').click()]);
  const errors = await textOf(download);
  assert.match(errors, /^_error;title;Amount\r\n"?amount: expected [^;]*;wrong;x\r\n"?another record[^;]*;Mine;1\r\n$/);
  await button('Import another file').click();
  await chooseFile(download.suggestedFilename(), errors.replace(';x', ';3').replace(';Mine', ';Mine too'));
  await button('Import 2 rows').click();
  await page.getByText('Imported 2 rows.').waitFor();
  await button('Import another file').click();
  await chooseFile('again.csv', ['title;Amount', ...imported, ''].join('\n'));
  await button('Import 1,200 rows').click();
  await page.getByText('1,200 rows were there before').waitFor();
  assert.equal(await count(), 1_205);
  await page.getByRole('link', { name: 'Back to the records' }).click();
});

/** How answers to batches get lost: at once, behind a proxy, or after some bytes. */
const losses: Readonly<Record<string, (route: Route) => Promise<void>>> = {
  none: (route) => route.abort(),
  'a proxy’s page': (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  'half of one': (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"errCode":' }),
};

for (const [loss, end] of Object.entries(losses)) {
  test(`a record is added once although its answer is ${loss}, also when something else is typed before it is sent again`, async () => {
    const before = await count();
    const dialog = page.getByRole('dialog', { name: 'Add to Task' });
    const send = dialog.getByRole('button', { name: 'Add', exact: true });
    for (const [title, retyped] of [
      ['Kept', 'Kept'],
      ['Then', 'Now'],
    ] as const) {
      await page.route('**/records/batch', async (route) => {
        await route.fetch();
        await end(route);
      });
      await button('Add a record').click();
      const field = dialog.getByRole('textbox', { name: 'title' });
      await dialog.getByRole('button', { name: 'Set to null: note' }).click();
      await field.fill(`${title} ${loss}`);
      await dialog.getByRole('option', { name: /^ann/ }).waitFor({ state: 'attached' });
      await send.click();
      await dialog.getByRole('alert').waitFor();
      await field.fill(`${retyped} ${loss}`);
      await page.unroute('**/records/batch');
      await send.click();
      await dialog.waitFor({ state: 'detached' });
    }
    const where = { expression: { source: '#r.title LIKE ?', params: [`% ${loss}`] } };
    const { rows } = (await post(`${version}/records/Task/select`, {
      from: { phyName: 'Task', alias: 'r' },
      where,
    })) as {
      rows: { r: Task }[];
    };
    assert.deepEqual(
      rows.map(({ r }) => r.title),
      [`Kept ${loss}`, `Now ${loss}`],
    );
    assert.equal(await count(), before + 2);
    // Columns without input have their default.
    for (const { r } of rows) assert.deepEqual([r.state, r.note, r.amount], ['open', null, null]);
  });
}

test('axe finds no fault in an edited grid or its menu', async () => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const where = encodeURIComponent("#r.title = 'row 7'");
  await page.goto(`${house.server.url}/admin/#/company/1/app/crm/1.0.0/records/Task?where=${where}`);
  await page.getByText('1–1 of 1', { exact: true }).waitFor();
  await cell('row 7').focus();
  await press('F2');
  assert.deepEqual(await axeFaults(page), []);
  await press('Escape', 'Alt+ArrowDown');
  assert.deepEqual(await axeFaults(page), []);
  await press('Escape');
  await page.getByRole('link', { name: 'Import' }).click();
  assert.deepEqual(await axeFaults(page), []);
  await button('Import another file').click();
  await page.getByLabel('Or paste the rows here').fill('title,amount\nOne,x\nTwo,2\n');
  await page.getByText('1 row can be imported').waitFor();
  assert.deepEqual(await axeFaults(page), []);
  assert.deepEqual(faults, []);
});
