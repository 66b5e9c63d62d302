/** The pages in a real browser: the way of a newcomer through the demo, and of the first administrator. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { defaults } from '../../src/config.ts';
import { startRowhouse } from '../../src/main.ts';
import { type House, openHouse, password } from '../administration/house.ts';
import { scratchOf } from '../engines/scratch.ts';
import { openChromium, openPage } from './chromium.ts';

let browser: Browser;
let house: House;

before(async () => {
  [browser, house] = await Promise.all([openChromium(), openHouse()]);
});

after(async () => {
  await browser?.close();
  await house?.close();
});

/** @returns the address of a service of the test's own */
async function serve(test: TestContext, demo: boolean): Promise<string> {
  const scratch = await scratchOf(test);
  const settings = { ...defaults, ...scratch.settings, port: 0 };
  const server = await startRowhouse(settings, { demo, log: pino({ level: 'silent' }) });
  scratch.closeFirst(() => server.close());
  return server.url;
}

test('from the first page a newcomer signs in, runs the first query, and signs out', async (t) => {
  const url = await serve(t, true);
  const { page, faults } = await openPage(browser);
  await page.goto(url);
  await page.getByRole('link', { name: 'sign in' }).first().click();
  await page.getByLabel('Name').fill('nobody-of-this-name');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('There is nobody named “nobody-of-this-name” here.').waitFor();
  await page.getByLabel('Name').fill('alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Hello Alice' }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the code leaves the address');
  assert.equal(await page.locator('#answer').isVisible(), false);
  await page.getByRole('button', { name: 'Run it here' }).click();
  await page.locator('#answer').filter({ hasText: 'objectId' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Try the demo' }).waitFor();
  await page.goto(`${url}/signed-in`);
  await page.getByRole('heading', { name: 'Try the demo' }).waitFor();
  assert.deepEqual(faults, []);
});

test('a page of the service that is not there offers the way back', async (t) => {
  const url = await serve(t, false);
  const { page, faults } = await openPage(browser);
  const response = await page.goto(`${url}/no/such/page`);
  assert.equal(response?.status(), 404);
  await page.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Look around' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Try the demo' }).isVisible(), false);
  assert.deepEqual(faults, []);
});

test('the set-up link makes the first administrator, and its secret leaves the address', async () => {
  const link = (await house.server.setUpLink()) as string;
  const { page, faults } = await openPage(browser);
  await page.goto(link);
  assert.equal(new URL(page.url()).hash, '');
  await page.getByLabel('Account').fill('root');
  await page.locator('#password').fill(password);
  await page.getByLabel('The same again').fill('another password');
  await page.getByRole('button', { name: 'Become the administrator' }).click();
  await page.getByText('The two passwords differ.').waitFor();
  await page.getByLabel('The same again').fill(password);
  await page.getByRole('button', { name: 'Become the administrator' }).click();
  await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor();
  await page.getByRole('button', { name: 'root' }).click();
  await page.getByText('administrator of the installation').waitFor();
  assert.deepEqual(faults, []);
});

test('a set-up page without its secret shows no form', async () => {
  const { page, faults } = await openPage(browser);
  await page.goto(`${house.server.url}/admin/set-up`);
  await page.getByText('The secret is missing from the address.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Become the administrator' }).isVisible(), false);
  assert.deepEqual(faults, []);
});

test('the console signs in, finds a company, and signs out', async () => {
  const { page, faults } = await openPage(browser);
  await page.goto(`${house.server.url}/admin/`);
  const action = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.getByLabel('Account').fill('root');
  await page.getByLabel('Password').fill('a wrong password');
  await action.click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(password);
  await action.click();
  await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor();
  assert.equal(await action.isVisible(), false, 'the form leaves');
  await page.getByRole('button', { name: 'root' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Account').waitFor();
  assert.deepEqual(faults, []);
});
