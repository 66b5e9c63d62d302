/** The example app in a real browser: without a connection in the middle, with a conflict, and with a tab that is killed while it sends. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Tables } from '../../examples/field-notes/src/rowhouse.ts';
import { linesOfData } from '../../lab/apps/lines.ts';
import { createClient } from '../../packages/client/src/client.ts';
import { writeTypes } from '../../packages/client/src/types/main.ts';
import { defineTables } from '../harness/requests.ts';
import { app, startWorld, type World } from '../harness/world.ts';
import { openChromium, openPage } from '../pages/chromium.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'examples/field-notes');
const { tables } = JSON.parse(readFileSync(join(folder, 'tables.json'), 'utf8'));

let browser: Browser;
let world: World;
let host: Awaited<ReturnType<typeof serveApp>>;
let bob: ReturnType<typeof createClient<Tables>>['db'];

before(async () => {
  host = await serveApp();
  const redirect = async ({ directory }: World['server']) => {
    const client = [1, app.appId, app.providerName, 'local-app'] as const;
    await directory.clients.update(...client, { redirectUri: `${host.url}/` });
  };
  [browser, world] = await Promise.all([openChromium(), startWorld({ people: ['alice', 'bob'], arrange: redirect })]);
  await defineTables(world, 'alice', tables);
  await host.bundle(world.server.url);
  const place = { url: world.server.url, companyId: 1, appId: app.appId, appVersion: app.appVersion };
  bob = createClient<Tables>({ ...place, session: world.token('bob') }).db;
});
after(async () => {
  await browser?.close();
  await world?.close();
  await host?.close();
});

/** Serves the app as a browser takes it; while `isDown`, nobody answers. */
async function serveApp() {
  const files = new Map<string, { readonly type: string; readonly content: string | Uint8Array }>();
  const state = { isDown: false };
  const server = createServer((request, response) => {
    const file = files.get(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (state.isDown) response.destroy();
    else if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': file.type }).end(file.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async bundle(service: string) {
      const source = join(root, 'packages/client/src');
      const { outputFiles } = await build({
        entryPoints: [join(folder, 'src/main.tsx')],
        ...{ bundle: true, write: false, format: 'esm', target: 'es2022', jsx: 'automatic', outdir: '/' },
        define: {
          'import.meta.env': JSON.stringify({ VITE_SERVICE: service }),
          'process.env.NODE_ENV': '"production"',
        },
        alias: {
          '@rowhouse/client': join(source, 'index.ts'),
          '@rowhouse/client/react': join(source, 'react.ts'),
          '@rowhouse/client/outbox': join(source, 'outbox/index.ts'),
          react: join(root, 'node_modules/react'),
          'react-dom': join(root, 'node_modules/react-dom'),
        },
      });
      const types = { js: 'text/javascript', css: 'text/css' };
      for (const { path, contents } of outputFiles) {
        files.set(path, { type: path.endsWith('.css') ? types.css : types.js, content: contents });
      }
      const page = readFileSync(join(folder, 'index.html'), 'utf8').replace('/src/main.tsx', '/main.js');
      const styled = page.replace('</head>', '<link rel="stylesheet" href="/main.css" /></head>');
      files.set('/', { type: 'text/html', content: styled });
      const worker = readFileSync(join(folder, 'public/service-worker.js'), 'utf8');
      files.set('/service-worker.js', { type: types.js, content: worker });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function signIn(page: Page): Promise<void> {
  await page.goto(host.url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill('alice');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('header').filter({ hasText: 'Alice' }).waitFor();
  assert.equal(new URL(page.url()).search, '', 'the code leaves the address');
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
  host.state.isDown = isOffline;
  await context.setOffline(isOffline);
}

test('a note is changed without a connection, and by somebody else meanwhile', async () => {
  const { page, faults } = await openPage(browser);
  const context = page.context();
  await signIn(page);
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
  await page.getByRole('listitem').filter({ hasText: 'Heron and chick waits' }).waitFor();
  assert.ok((await bob.FieldNote.update(before, { body: 'One, on the left bank.' })).ok);

  await offline(context, false);
  const decision = page.getByRole('region', { name: 'Decide about Heron and chick' });
  await decision.getByText('Somebody else changed this note').waitFor();
  assert.match(await decision.innerText(), /Yours\s+Heron and chick One\.\s+Theirs\s+Heron One, on the left bank\./);
  await decision.getByRole('button', { name: 'Keep mine' }).click();
  await decision.waitFor({ state: 'detached' });
  await sent(page);
  assert.equal((await noteOf('Heron and chick'))?.body, 'One.');
  assert.deepEqual(faults, []);
  await context.close();
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
    // The service has carried it out, and the tab never learns of it.
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

test('the types of the app are those of its tables', async () => {
  const [from, out] = ['tables.json', 'src/rowhouse.ts'].map((name) => join(folder, name));
  assert.equal((await writeTypes({ check: true, tables: from, out }, undefined)).isStale, false);
});

test('the app spends at most 120 lines on data, sync and sign-in', () => {
  const counted = linesOfData(folder);
  assert.ok((counted.get('src/data.ts') ?? 0) > 30, 'they are counted');
  const sum = [...counted.values()].reduce((before, lines) => before + lines, 0);
  assert.ok(sum <= 120, `${sum} lines`);
});
