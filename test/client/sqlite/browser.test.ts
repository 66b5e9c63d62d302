/** The client in a real browser: sign-in by redirect and pop-up, and tabs that share an outbox. The engine of the service does not matter. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openChromium } from '../../../lab/machine/chromium.ts';
import { proveClient } from '../../../lab/prove/client.ts';
import { app, startWorld, type World } from '../../harness/world.ts';

const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
const source = join(import.meta.dirname, '../../../packages/client/src');
const tabBatches = 120;

/** The redirect address of the demo's client, whose page gets a different script. */
const home = '/signed-in';
const script = `
  import * as rowhouse from '/client/index.ts';
  const [companyId, appId, appVersion, appKey, clientId] = ${JSON.stringify([1, app.appId, app.appVersion, app.appKey, app.clientId])};
  const session = rowhouse.createSession({ url: location.origin, companyId, appId, appVersion, appKey });
  const request = { clientId };
  Object.assign(globalThis, { rowhouse, session, request });
  document.body.innerHTML = '<button id="redirect">Redirect</button><button id="popup">Pop-up</button><p></p>';
  const tell = (user) => { document.querySelector('p').textContent = user === null ? 'Nobody' : 'Hello ' + user.firstName; };
  const fail = (error) => { document.body.dataset.failed = error.name; document.querySelector('p').textContent = error.name + ': ' + error.message; };
  document.querySelector('#redirect').onclick = () => rowhouse.signInWithRedirect(session, request).catch(fail);
  document.querySelector('#popup').onclick = () => session.signIn(request, rowhouse.popup()).catch(fail);
  session.onChange(() => session.user().then(tell));
  await rowhouse.resume(session).then(tell, fail);`;

let world: World;
let browser: Browser;
before(async () => {
  [world, browser] = await Promise.all([startWorld({ people: [] }), openChromium()]);
});
after(async () => {
  await browser?.close();
  await world?.close();
});

/** A separate browser context. */
async function openContext(): Promise<BrowserContext> {
  const context = await browser.newContext();
  await context.route(`**${home}.js`, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await context.route(
    ({ pathname }) => pathname.startsWith('/client/'),
    (route) => {
      const path = new URL(route.request().url()).pathname.slice('/client/'.length);
      const body = stripTypeScriptTypes(readFileSync(join(source, path), 'utf8'));
      return route.fulfill({ contentType: 'text/javascript', body });
    },
  );
  return context;
}

async function signInAsAlice(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a page goes to the provider and comes back signed in, without a code in its address; another tab knows', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const other = await context.newPage();
  await Promise.all([page, other].map((one) => one.goto(`${world.server.url}${home}?view=list`)));
  await page.getByText('Nobody').waitFor();
  await page.locator('#redirect').click();
  await signInAsAlice(page);
  await page.getByText('Hello Alice').waitFor();
  assert.equal(new URL(page.url()).search, '');
  await other.getByText('Hello Alice').waitFor();
  await page.goBack();
  await page.goForward();
  await page.getByText('Hello Alice').waitFor();
  await other.evaluate('session.signOut()');
  await page.getByText('Nobody').waitFor();
  await page.goto(`${world.server.url}${home}?code=1&state=of-nobody&view=list`);
  await page.getByText('No sign-in under way').waitFor();
  assert.equal(new URL(page.url()).search, '?view=list');
  await context.close();
});

/** In a page: notes that the client looked at the window that it opened, and how that seemed. */
const watchWindow = `{
  const { open } = globalThis;
  globalThis.open = (...input) => {
    const opened = open(...input);
    return {
      get location() { return opened.location; },
      close: () => opened.close(),
      get closed() { document.body.dataset[opened.closed ? 'closed' : 'open'] = ''; return opened.closed; },
    };
  };
}`;

test('a pop-up signs in the page that opened it; if closed before, the sign-in is refused', async () => {
  const context = await openContext();
  const page = await context.newPage();
  await page.goto(`${world.server.url}${home}`);
  const open = () => Promise.all([page.waitForEvent('popup'), page.locator('#popup').click()]);
  // The provider refuses what it does not know: there is no address to go to.
  await page.evaluate("request.clientId = 'of nobody'");
  const [blank] = await open();
  await Promise.all([
    blank.isClosed() ? null : blank.waitForEvent('close'),
    page.locator('body[data-failed]').waitFor(),
  ]);
  await page.evaluate(`request.clientId = ${JSON.stringify(app.clientId)}`);
  await page.evaluate(watchWindow);
  const [closed] = await open();
  await closed.getByLabel('Name').waitFor();
  // Until the client has seen the provider's page in it.
  await page.evaluate('delete document.body.dataset.open');
  await page.locator('body[data-open]').waitFor();
  await closed.close();
  await page.getByText('The window of the sign-in was closed.').waitFor();
  const [popup] = await open();
  await popup.getByLabel('Name').waitFor();
  await Promise.all([popup.waitForEvent('close'), signInAsAlice(popup)]);
  await page.getByText('Hello Alice').waitFor();
  const kept = (await page.evaluate('JSON.stringify(localStorage)')) as string;
  assert.ok(!/code/.test(kept), kept);
  await context.close();
});

test('a pop-up whose page is isolated from its opener still signs in', async () => {
  const context = await openContext();
  const page = await context.newPage();
  await page.goto(`${world.server.url}${home}`);
  await context.route(
    ({ origin }) => origin !== new URL(world.server.url).origin,
    async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      const headers = { ...response.headers(), 'cross-origin-opener-policy': 'same-origin' };
      await route.fulfill({ response, headers });
    },
  );
  const opened = page.waitForEvent('popup');
  await page.evaluate(watchWindow);
  await page.locator('#popup').click();
  const popup = await opened;
  await popup.getByLabel('Name').waitFor();
  // Waits until the client has also checked the window.
  await page.locator('body[data-closed]').waitFor();
  await signInAsAlice(popup);
  await page.getByText('Hello Alice').waitFor();
  // The opener got the answer, and had not given up before.
  assert.equal(await page.evaluate('document.body.dataset.failed ?? null'), null);
  await context.close();
});

test('calls that refresh at once wait for one request, and tabs for each other', async () => {
  const context = await openContext();
  const [page, other] = [await context.newPage(), await context.newPage()];
  await page.goto(`${world.server.url}${home}`);
  await page.locator('#redirect').click();
  await signInAsAlice(page);
  await page.getByText('Hello Alice').waitFor();
  await other.goto(`${world.server.url}${home}`);
  await other.getByText('Hello Alice').waitFor();
  let requests = 0;
  // Delayed until both tabs have requested a new token.
  const both = Promise.withResolvers<void>();
  await context.route('**/auth/refresh', async (route) => {
    requests++;
    await both.promise;
    await route.continue();
  });
  await Promise.all([page, other].map((tab) => tab.evaluate('session.current()')));
  const refreshes = [page, other].map((tab) => tab.evaluate('Promise.all([session.refresh(), session.refresh()])'));
  await other.waitForFunction(
    'navigator.locks.query().then(({ held, pending }) => held.length + pending.length === 2)',
  );
  both.resolve();
  const tokens = (await Promise.all(refreshes)) as string[][];
  for (const own of tokens) assert.equal(new Set(own).size, 1);
  // A browser may report another tab's write late; a second request is then harmless.
  assert.ok(requests <= 2, `${requests} requests`);
  await context.close();
});

test('tabs that are killed while they write through one outbox lose nothing, and nothing is written twice', async (context) => {
  context.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const session = { lifeMs: 700, refreshAfterMs: 10 };
  const few = { batches: tabBatches, tabBatches, tabs: 2, life: { process: 0, tab: 20 }, browser, seed, session };
  const { violations, figures } = await proveClient({ ...few, progress: (line) => context.diagnostic(line) });
  assert.deepEqual(violations, []);
  const figure = (name: string) => Number(figures.find((each) => each.name === name)?.value);
  assert.equal(figure('batches carried out'), tabBatches);
  assert.ok(figure('tabs killed') > 0);
  assert.ok(figure('tokens replaced') > 0);
});
