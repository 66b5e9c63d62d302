/**
 * Apps in a real browser: the example app with an interrupted connection, with a conflict, and with a tab that is
 * killed while it sends; and the app of docs/tutorials/first-app.md, whose files are taken from the page. What the
 * client sends is tested on both engines beside it.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Tables } from '../../../examples/field-notes/src/rowhouse.ts';
import { openChromium, openPage } from '../../../lab/machine/chromium.ts';
import { createClient } from '../../../packages/client/src/client.ts';
import type { TableTypes } from '../../../packages/client/src/tables.ts';
import { blocksOf, root } from '../../docs/shell.ts';
import { type AppHost, openAppHost } from '../../harness/app-host.ts';
import { guides, withTutorialApp, writeInto } from '../../harness/documented-apps.ts';
import { defineTables } from '../../harness/requests.ts';
import { app, startWorld, type World } from '../../harness/world.ts';

const folder = join(root, 'examples/field-notes');
const { tables } = JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8'));

let browser: Browser;
let world: World;
let host: AppHost;
let bob: ReturnType<typeof createClient<Tables>>['db'];
/** The client of bob, who may also use the tables of the guides. */
let others: ReturnType<typeof createClient<Record<string, TableTypes>>>['db'];

before(async () => {
  host = await openAppHost();
  const redirect = async ({ directory }: World['server']) => {
    const client = [1, app.appId, app.providerName, 'local-app'] as const;
    await directory.clients.update(...client, { redirectUri: `${host.url}/` });
  };
  [browser, world] = await Promise.all([openChromium(), startWorld({ people: ['alice', 'bob'], arrange: redirect })]);
  await defineTables(world, 'alice', tables);
  await host.show(folder, { VITE_SERVICE: world.server.url });
  const place = { url: world.server.url, companyId: 1, appId: app.appId, appVersion: app.appVersion };
  bob = createClient<Tables>({ ...place, session: world.token('bob') }).db;
  others = createClient<Record<string, TableTypes>>({ ...place, session: world.token('bob') }).db;
});
after(async () => {
  await browser?.close();
  await world?.close();
  await host?.close();
});

async function signIn(page: Page, greeting = 'header'): Promise<void> {
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill('alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator(greeting).filter({ hasText: 'Alice' }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the code leaves the address');
}

/** The provider sends the user back without a code, as if the user had cancelled. */
async function cancelSignIn(page: Page): Promise<void> {
  await page.goto(host.url);
  const asked = page.waitForRequest((request) => new URL(request.url()).searchParams.has('state'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  const state = new URL((await asked).url()).searchParams.get('state');
  // A navigation under way would interrupt the next one.
  await page.getByLabel('Name').waitFor();
  await page.goto(`${host.url}/?error=access_denied&state=${state}`);
  await page.getByRole('alert').filter({ hasText: 'access_denied' }).waitFor();
}

async function write(page: Page, button: string, fields: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  for (const [name, text] of Object.entries(fields)) await page.getByLabel(name).fill(text);
  await page.getByRole('button', { name: 'Save' }).click();
}

const state = (page: Page, text: RegExp) => page.locator('output').filter({ hasText: text }).waitFor();
const sent = (page: Page) => state(page, /^online$/);
const noteOf = (title: string) => bob.FieldNote.first({ where: (note) => note.title.eq(title) });

async function offline(context: BrowserContext, isOffline: boolean): Promise<void> {
  host.isDown = isOffline;
  await context.setOffline(isOffline);
}

test('a note is changed without a connection, and by someone else meanwhile', async () => {
  const { page, faults } = await openPage(browser);
  const context = page.context();
  await cancelSignIn(page);
  await signIn(page);
  await page.getByText('There are no notes yet').waitFor();
  await write(page, 'New note', { Title: 'Heron', Text: 'One.' });
  await page.getByRole('listitem').filter({ hasText: 'Heron' }).waitFor();
  await sent(page);
  const before = await noteOf('Heron');
  assert.ok(before !== null);
  await page.locator('html[data-kept]').waitFor({ state: 'attached' });

  await offline(context, true);
  await write(page, 'Heron', { Title: 'Heron and chick' });
  await state(page, /^offline, 1 to send$/);
  await page.reload();
  await page.getByRole('listitem').filter({ hasText: 'Heron and chick waiting' }).waitFor();
  assert.ok((await bob.FieldNote.update(before, { body: 'One, on the left bank.' })).ok);

  await offline(context, false);
  const decision = page.getByRole('region', { name: 'Decide about Heron and chick' });
  await decision.getByText('Somebody else changed this note').waitFor();
  await state(page, /^online, 1 to decide$/);
  assert.match(await decision.innerText(), /Yours\s+Heron and chick One\.\s+Theirs\s+Heron One, on the left bank\./);
  await decision.getByRole('button', { name: 'Keep mine' }).click();
  await decision.waitFor({ state: 'detached' });
  await sent(page);
  const kept = await noteOf('Heron and chick');
  assert.equal(kept?.body, 'One.');

  await offline(context, true);
  await page.getByRole('button', { name: 'Heron and chick' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await state(page, /^offline, 1 to send$/);
  assert.ok((await bob.FieldNote.update(kept, { body: 'Two.' })).ok);
  await offline(context, false);
  assert.match(await decision.innerText(), /Yours\s+deleted\s+Theirs\s+Heron and chick Two\./);
  await decision.getByRole('button', { name: 'Keep mine' }).click();
  await sent(page);
  assert.equal(await noteOf('Heron and chick'), null);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a note whose session ended, and whose answer was lost too long ago, is finally sent', async () => {
  const { page } = await openPage(browser);
  await signIn(page);
  const service = `${world.server.url}/**`;
  await page.route(service, async (route) => {
    const address = route.request().url();
    if (address.endsWith('/data/batch')) return route.abort();
    if (!address.endsWith('/schemas/info')) return route.continue();
    const response = await route.fetch();
    const json = await response.json();
    await route.fulfill({ response, json: { ...json, results: { ...json.results, historyDays: 0 } } });
  });
  await write(page, 'New note', { Title: 'Kingfisher' });
  const decision = page.getByRole('region', { name: 'Decide about Kingfisher' });
  await decision.getByText('Nobody knows whether this was saved').waitFor();
  const kept = JSON.parse(
    await page.evaluate("Object.entries(localStorage).find(([key]) => key.includes('.user.'))[1]"),
  );
  await world.call('POST', `${world.prefix}/auth/logout`, { token: kept.token });
  await page.unroute(service);
  await decision.getByRole('button', { name: 'Send mine again' }).click();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.getByLabel('Name').fill('alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await sent(page);
  assert.equal(await bob.FieldNote.count({ where: (note) => note.title.eq('Kingfisher') }), 1);
  assert.equal(await page.getByRole('button', { name: 'Sign in again' }).count(), 0);
  await page.context().close();
});

test('a tab that is killed while it sends has its note sent once', async () => {
  const { page } = await openPage(browser);
  const context = page.context();
  await signIn(page);
  const bodies: unknown[] = [];
  const killed = Promise.withResolvers<void>();
  await context.route('**/data/batch', async (route) => {
    bodies.push(route.request().postData());
    if (bodies.length > 1) return route.continue();
    // The service has written it, but the tab never learns of it.
    await route.fetch();
    page.once('crash', () => killed.resolve());
    await page.goto('chrome://crash').catch(() => {});
  });
  await write(page, 'New note', { Title: 'Otter' });
  await killed.promise;
  const next = await context.newPage();
  await next.goto(host.url);
  await next.getByRole('listitem').filter({ hasText: 'Otter' }).waitFor();
  await sent(next);
  assert.equal(bodies.length, 2);
  assert.equal(bodies[0], bodies[1]);
  assert.equal(await bob.FieldNote.count({ where: (note) => note.title.eq('Otter') }), 1);
  await context.close();
});

const cut = async (context: BrowserContext, isOn: boolean) => {
  const requests = `${world.server.url}/**`;
  await (isOn ? context.unroute(requests) : context.route(requests, (route) => route.abort()));
};

test('the app of the tutorial shows tasks at once, and sends them when possible', async () => {
  await withTutorialApp(world.server.url, async (made) => {
    await defineTables(world, 'alice', JSON.parse(readFileSync(join(made, 'tables.json'), 'utf8')).tables);
    await host.show(made);
    const { page, faults } = await openPage(browser);
    await cancelSignIn(page);
    await signIn(page, 'h1');
    await page.getByText('There are no tasks yet').waitFor();
    await cut(page.context(), false);
    await page.getByLabel('New task').fill('Buy paper');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('checkbox', { name: 'Buy paper' }).check();
    await page.getByText('Changes to send: 2').waitFor();
    await cut(page.context(), true);
    const read = page.waitForResponse(async (response) => {
      if (!response.url().includes('/select/Task')) return false;
      // A response superseded by a later one has no text.
      const text = await response.text().catch(() => '');
      return text.includes('"done":true');
    });
    await page.evaluate("dispatchEvent(new Event('online'))");
    await read;
    assert.equal(await page.getByRole('checkbox', { name: 'Buy paper' }).isChecked(), true);
    await page.getByText('Changes to send').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});

const endOfBlock = '-- end of block --';

/** Stand-ins for what the guides' code imports from the page. */
const standInsHere = 'export const { connection, somebodyElse } = globalThis as any;';

test('the code of the guides prints in a browser what they show', async (t) => {
  await withTutorialApp(world.server.url, async (made) => {
    await host.show(made);
    const { page, faults } = await openPage(browser);
    await page.exposeFunction('connection', (isOn: boolean) => cut(page.context(), isOn));
    await page.exposeFunction('somebodyElse', async (objectId: string, changes: object) => {
      const task = await others.Task?.get(objectId);
      assert.ok(task != null);
      await others.Task?.update(task, changes);
    });
    let printed = '';
    page.on('console', (message) => {
      if (message.type() === 'log') printed += `${message.text()}\n`;
    });
    await signIn(page, 'h1');
    for (const guide of guides) {
      await t.test(guide, async () => {
        const blocks = blocksOf(guide);
        const code = blocks.map(({ language, text }) => {
          if (language === 'text') return `console.log('${endOfBlock}');`;
          return language === 'ts' ? text : '';
        });
        writeInto(made, 'src/main.tsx', code.join('\n'));
        writeInto(made, 'src/stand-ins.ts', standInsHere);
        await host.show(made);
        printed = '';
        const shown = blocks.flatMap(({ language, text }) => (language === 'text' ? [text] : []));
        await page.goto(host.url);
        const ended = () => printed.split(`${endOfBlock}\n`);
        while (ended().length <= shown.length) await page.waitForEvent('console');
        assert.deepEqual(
          ended()
            .slice(0, -1)
            .map((text) => text.trim()),
          shown,
        );
      });
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
