/**
 * The console in trouble: a slow service, a lost connection, an ended session, a conflicting change. It reports waits
 * and errors, keeps typed text, and lets the user continue.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser as Chromium, Page, Route } from 'playwright-core';
import { openChromium } from '../../../lab/machine/chromium.ts';
import { type House, openHouse, password } from '../../administration/house.ts';
import { type Place, places } from '../places.ts';
import { rows } from '../rows.ts';
import { addRecord, makeSample } from '../sample.ts';
import { openConsole } from '../signed-in.ts';

let chromium: Chromium;
let house: House;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  const root = await house.setUp('root');
  await makeSample(house, root);
  await addRecord(root);
  ({ page, faults } = await openConsole(chromium, house));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

const calls = '**/admin/api/**';
const address = (path: string) => `${house.server.url}/admin/#${path}`;
const problem = () => page.getByRole('alert').filter({ hasText: 'can’t be reached' }).first();
const content = () => page.locator('main :is(.table-frame, .empty, form, textarea, svg.chart)').first();
const waiting = () => page.getByRole('status').filter({ hasText: /^Loading .+ …$|: under way …$/ });

/** Whether the screen requests something. The frame requests the company’s name. */
const ofScreen = /\/admin\/api\/(?!companies\/1$)/;

/** Holds all calls. @returns a function that ends them, once the screen has made one */
async function hold(): Promise<(end: (route: Route) => Promise<void>) => Promise<void>> {
  const held: Route[] = [];
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  await page.route(calls, (route) => {
    held.push(route);
    if (ofScreen.test(route.request().url())) resolve();
  });
  return async (end) => {
    await isAsked;
    for (const route of held) await end(route);
    await page.unroute(calls);
  };
}

/** Stops the page's clock at a time that it cannot reach by itself, however long this call takes. */
async function stopClock(): Promise<void> {
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 3_600_000);
}

/** Makes the page note when its screen first requests something, by its own clock. */
const noteRequest = `{
  globalThis.askedAt = null;
  globalThis.plainFetch ??= fetch;
  fetch = (address, ...rest) => {
    if (${ofScreen}.test(new URL(address, location.href).href)) askedAt ??= Date.now();
    return plainFetch(address, ...rest);
  };
}`;

/** Lets the stopped clock run until the screen has requested something, and then until `ms` after that. */
async function runUntilAsked(ms: number): Promise<void> {
  const since = () => page.evaluate<number | null>('askedAt && Date.now() - askedAt');
  let passed = await since();
  for (; passed === null; passed = await since()) await page.clock.runFor(16);
  await page.clock.runFor(ms - passed);
}

/** Tries the front layer first, and the page below when it is closed. */
async function tryAllAgain(): Promise<void> {
  const dialog = page.locator('dialog[open]');
  const again = (part: string) => page.locator(`${part} .note.wrong button`);
  while ((await again('main').count()) > 0) {
    const front = (await dialog.count()) > 0 ? 'dialog[open]' : 'main';
    const left = await again(front).count();
    if (left > 0) {
      await again(front).first().click();
      await again(front)
        .nth(left - 1)
        .waitFor({ state: 'detached' });
    } else {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  }
}

/** A table’s page shows data from the list of tables. */
const asks = ({ path, click }: Place) => click === undefined && !path.endsWith('/tables/Task');

test('every screen says after 150 ms that it waits for an answer, and a lost connection can be tried again', async () => {
  await page.clock.install();
  for (const { screen, path } of rows(places.filter(asks), 3)) {
    const tenant = /^(\/company\/1(\/app\/crm(\/1.0.0)?)?)?/.exec(path)?.[0];
    await page.goto(address(`${tenant}/nowhere`));
    await page.getByText('There is no such screen').waitFor();
    // Its code is loaded, so that it only waits for answers.
    const code = `document.querySelector('script[type=module]').src.replace('main.ts', 'screens/${screen}.ts')`;
    await page.evaluate(`import(${code}).then(() => true)`);
    await stopClock();
    const end = await hold();
    await page.evaluate(noteRequest);
    await page.goto(address(path));
    await runUntilAsked(100);
    assert.equal(await waiting().count(), 0, `${path}: after 100 ms`);
    await page.clock.runFor(100);
    assert.notEqual(await waiting().count(), 0, `${path}: after 200 ms`);
    await end((route) => route.abort());
    await page.clock.resume();
    await problem().waitFor();
    await tryAllAgain();
    await content().waitFor();
  }
  assert.deepEqual(faults, []);
});

interface FormCase {
  readonly path: string;
  /** Label of the field, and the text to type. */
  readonly field: string;
  readonly typed: string;
  /** Text of the submit button. */
  readonly action: string;
}

/** A record is sent twice, with one transaction id, before its form reports that the service can’t be reached. */
const forms: readonly FormCase[] = [
  { path: '/companies/+', field: 'Name', typed: 'Initech', action: 'Add' },
  { path: '/administrators/+', field: 'Account', typed: 'second', action: 'Add' },
  { path: '/company/1/users/+', field: 'Account', typed: 'carol', action: 'Add' },
  { path: '/company/1/groups/1', field: 'Name', typed: 'Selling', action: 'Save' },
];

const dialog = () => page.getByRole('dialog').last();
const field = (label: string) => dialog().getByRole('textbox', { name: label, exact: true });
const send = (name: string) => dialog().getByRole('button', { name, exact: true });

for (const { path, field: label, typed, action } of rows(forms, 3)) {
  test(`text typed at ${path} is kept while the service is slow or unreachable, or has ended the session`, async () => {
    await page.goto(address(path));
    await field(label).fill(typed);
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await stopClock();
    const end = await hold();
    await send(action).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.clock.runFor(100);
    assert.equal(await waiting().count(), 0);
    await page.clock.runFor(100);
    assert.equal(await waiting().innerText(), `${action}: under way …`);
    await end((route) => route.abort());
    await page.clock.resume();
    await dialog().getByRole('alert').getByText('What you typed is still here').waitFor();
    assert.equal(await field(label).inputValue(), typed);
    // The keyboard focus is still in the same place.
    assert.equal(await send(action).evaluate((button) => button.matches(':focus')), true);
    await page.context().clearCookies();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await page.getByText('Saved').first().waitFor();
    assert.deepEqual(faults, []);
  });
}

/** A drawer, its field, and the body's member for it. */
const drawers: readonly (readonly [path: string, label: string, member: string])[] = [
  ['/companies/1', 'Name', 'name'],
  ['/administrators/1', 'Name', 'name'],
  ['/company/1/users/1', 'First name', 'firstName'],
  ['/company/1/groups/1', 'Name', 'name'],
  ['/company/1/roles/100', 'Name', 'name'],
  ['/company/1/applications/crm', 'Name', 'name'],
  ['/company/1/app/crm/providers/idp', 'Scopes', 'scopes'],
];

for (const [path, label, member] of rows(drawers, 4)) {
  test(`at ${path}, a conflicting change is reported, typed text stays, and the present values can be loaded`, async () => {
    await page.goto(address(path));
    await field(label).fill('openid mine');
    let theirs = 0;
    // Another user’s change comes first, with the same revision.
    await page.route(calls, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      const postData = { ...route.request().postDataJSON(), [member]: 'openid theirs' };
      theirs = (await route.fetch({ postData })).status();
      await route.continue();
    });
    await send('Save').click();
    await dialog().getByText('Somebody else changed this in the meantime').waitFor();
    await page.unroute(calls);
    assert.equal(theirs, 200);
    assert.equal(await field(label).inputValue(), 'openid mine');
    await send('Reload').click();
    await dialog().getByText('Somebody else changed this in the meantime').waitFor({ state: 'detached' });
    assert.equal(await field(label).inputValue(), 'openid theirs');
    assert.deepEqual(faults, []);
  });
}

test('what is typed is saved after the same person signed in again in another tab, and never as someone else', async () => {
  const { page: own, faults: ownFaults } = await openConsole(chromium, house, { at: '/company/1/groups' });
  // As another tab does, which has the same cookies.
  const signIn = async (body: object) => {
    // A request under the cookie that is replaced would be refused.
    await own.waitForLoadState('networkidle');
    const headers = { origin: house.server.url };
    const url = `${house.server.url}/admin/api/sign-in`;
    const answer = await own.request.post(url, { data: { ...body, password }, headers });
    assert.equal(answer.status(), 200, await answer.text());
  };
  const add = async (name: string) => {
    await own.goto(address('/company/1/groups/+'));
    const adding = own.getByRole('dialog', { name: 'Add a group' });
    await adding.getByLabel('Name').fill(name);
    await adding.getByRole('button', { name: 'Add', exact: true }).click();
  };
  const added = (name: string) => own.getByRole('row').filter({ hasText: name });
  await signIn({ account: 'root' });
  await add('After a new session');
  await added('After a new session').waitFor();
  for (const holdsToken of [true, false]) {
    await signIn({ account: 'root' });
    await own.reload();
    if (holdsToken) {
      await add('With a token');
      await added('With a token').waitFor();
    }
    await signIn({ account: 'ann', companyId: 1 });
    await add('As someone else');
    await own.getByRole('button', { name: 'ann', exact: true }).waitFor();
  }
  await signIn({ account: 'root' });
  await own.reload();
  await added('With a token').waitFor();
  assert.equal(await added('As someone else').count(), 0);
  assert.deepEqual(ownFaults, []);
  await own.context().close();
});

test('a lost session is signed in again at the identity provider in a window of its own, and what was typed stays', async () => {
  const { page: own, faults: ownFaults } = await openConsole(chromium, house, { at: '/company/1/groups' });
  const context = own.context();
  const provider = 'http://provider.example/authorize';
  const body = `<a href="${house.server.url}/admin/">Return</a>`;
  await context.route(provider, (route) => route.fulfill({ contentType: 'text/html', body }));
  await context.route('**/page.json', (route) => route.fulfill({ json: { version: '', hasProvider: true } }));
  await context.route('**/sign-in/oidc', (route) =>
    route.fulfill({ json: { errCode: 0, results: { location: provider } } }),
  );
  await own.goto(address('/company/1/groups/+'));
  await own.getByLabel('Name').fill('Through the provider');
  await context.clearCookies();
  await own.getByRole('button', { name: 'Add', exact: true }).click();
  const button = own.getByRole('button', { name: 'Sign in with the identity provider' });
  const [popup] = await Promise.all([own.waitForEvent('popup'), button.click()]);
  await popup.getByRole('link', { name: 'Return' }).waitFor();
  assert.equal(await popup.evaluate('opener'), null);
  // What the provider's answer comes to: a cookie, and a redirect to the console.
  const data = { account: 'root', password };
  await own.request.post(`${house.server.url}/admin/api/sign-in`, { data, headers: { origin: house.server.url } });
  await Promise.all([popup.waitForEvent('close'), popup.getByRole('link', { name: 'Return' }).click()]);
  await own.getByRole('row').filter({ hasText: 'Through the provider' }).waitFor();
  assert.deepEqual(ownFaults, []);
  await context.close();
});
