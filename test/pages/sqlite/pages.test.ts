/** The pages in a real browser: for newcomers to the demo, and for the first administrator. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { axeFaults } from '../../../lab/machine/axe.ts';
import { openChromium, openPage } from '../../../lab/machine/chromium.ts';
import { defaults } from '../../../src/config.ts';
import { walkDemoSignIn } from '../../../src/demo/sign-in.ts';
import { type Rowhouse, startRowhouse } from '../../../src/main.ts';
import { type House, openHouse, password } from '../../administration/house.ts';
import { fewThreads, makeLaidOut, type Scratch } from '../../engines/scratch.ts';

let browser: Browser;
let house: House;
let scratch: Scratch;
let demo: Rowhouse;

before(async () => {
  [browser, house, scratch] = await Promise.all([openChromium(), openHouse(), makeLaidOut()]);
  const settings = { ...defaults, ...fewThreads, ...scratch.settings, port: 0 };
  demo = await startRowhouse(settings, { demo: true, log: pino({ level: 'silent' }) });
});

after(async () => {
  await browser?.close();
  await house?.close();
  await demo?.close();
  await scratch?.remove();
});

/** Accessibility faults of the pages, found by axe-core, which is injected because the policy would block it. */
async function hindrances(addresses: readonly string[]): Promise<string[]> {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const found: string[] = [];
  for (const [index, address] of addresses.entries()) {
    await page.emulateMedia({ colorScheme: index % 2 === 0 ? 'light' : 'dark' });
    await page.goto(address, { waitUntil: 'networkidle' });
    found.push(...(await axeFaults(page)).map((fault) => `${address} ${fault}`));
  }
  await context.close();
  return found;
}

test('from the first page a newcomer signs in, runs the first query, and signs out', async () => {
  const { url } = demo;
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

test('the documentation is searched in two languages, copied from, and read in the dark', async () => {
  const { url } = demo;
  const { page, faults } = await openPage(browser);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(url);
  await page.getByRole('link', { name: 'the tour' }).click();
  const setting = page.locator('.code', { hasText: 'API=' });
  await setting.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()').then(String);
  assert.ok(copied.startsWith(`API=${url}/api/1/sampleApp/1_0_0\n`), copied);
  assert.ok(copied.includes(`npx rowhouse demo token alice --url ${url})`), copied);

  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  await page.getByLabel('Theme').selectOption('dark');
  assert.notEqual(await paper(), light);
  await page.keyboard.press('Escape');
  for (const [query, heading] of [
    ['transaction id', 'Transaction ids'],
    ['ログインできない', 'Sign-in'],
  ] as const) {
    await page.locator('h1').click();
    await page.keyboard.press('/');
    await page.keyboard.insertText(query);
    await page.locator('#searchResults a').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: heading }).first().waitFor();
  }

  await page.goto(`${url}/docs/reference/operations#adddata`);
  await page.getByText('Examples for').click();
  await page.getByLabel('Application').fill('crm');
  await page.getByRole('button', { name: 'Use these' }).click();
  await page.locator('#adddata ~ .code').first().getByRole('button', { name: 'Copy as curl' }).click();
  const command = await page.evaluate('navigator.clipboard.readText()').then(String);
  assert.match(
    command,
    /^TOKEN=.*\ncurl -s -X POST '.*\/api\/1\/crm\/1_0_0\/data\/batch\/addData' .*"service-token: \$TOKEN"/s,
  );
  assert.deepEqual(faults, []);
});

test('the first page and the documentation are accessible', async () => {
  const { url } = demo;
  const [first, docs] = [`${url}/`, `${url}/docs/tour`];
  assert.deepEqual(await hindrances([first, docs, docs, first]), []);
});

test('the API reference shows the interface of an application version to those with a token for it', async () => {
  const { url } = demo;
  const { page, faults } = await openPage(browser);
  await page.goto(`${url}/docs/api?interface=version`);
  const { userTokens } = await walkDemoSignIn({ url, companyId: 1, login: 'alice' });
  await page.getByLabel('Token of a developer').fill(userTokens);
  await page.getByRole('button', { name: 'Show' }).click();
  await page.locator('[data-path="/schemas/info"]').waitFor();
  assert.deepEqual(faults, []);
});

test('a missing page of the service offers the way back', async () => {
  const { url } = house.server;
  const { page, faults } = await openPage(browser);
  const response = await page.goto(`${url}/no/such/page`);
  assert.equal(response?.status(), 404);
  await page.getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Look around' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Try the demo' }).isVisible(), false);
  assert.deepEqual(faults, []);
});

test('the set-up link creates the first administrator, and its secret is removed from the address', async () => {
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
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
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

test('the console signs in, begins at its home, and signs out', async () => {
  const { page, faults } = await openPage(browser);
  await page.goto(`${house.server.url}/admin/`);
  const action = page.getByRole('button', { name: 'Sign in', exact: true });
  await page.getByLabel('Account').fill('root');
  await page.getByLabel('Password').fill('a wrong password');
  await action.click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(password);
  await action.click();
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  assert.equal(await action.isVisible(), false, 'the form leaves');
  await page.getByRole('button', { name: 'root' }).click();
  const reference = page.getByRole('link', { name: 'API reference' });
  assert.equal(await reference.getAttribute('href'), '../docs/api?interface=administration');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Account').waitFor();
  assert.deepEqual(faults, []);
});
