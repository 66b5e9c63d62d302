/** The catalogue of the console's components: it has them all, `axe-core` finds nothing in either theme, and only the demo has it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fastify from 'fastify';
import { axeFaults } from '../../../lab/machine/axe.ts';
import { openChromium, openPage } from '../../../lab/machine/chromium.ts';
import { defaults } from '../../../src/config.ts';
import { consoleRoutes } from '../../../src/http/console/routes.ts';

const folder = new URL('../../../console/', import.meta.url);
/** Components shown as parts of others, that need the service, or that draw nothing. */
const notAlone = ['cell-editor.ts', 'choices.ts', 'entries.ts', 'menu.ts', 'named.ts', 'turns.ts', 'typed.ts'];

test('every component is in the catalogue', () => {
  const source = readFileSync(new URL('catalogue.ts', folder), 'utf8');
  const missing = readdirSync(new URL('components/', folder)).filter(
    (name) => !source.includes(`'./components/${name}'`) && !notAlone.includes(name),
  );
  assert.deepEqual(missing, []);
});

test('only the demo has it', async (t) => {
  for (const [demo, status] of [
    [null, 404],
    [{}, 200],
  ] as const) {
    const app = fastify();
    t.after(() => app.close());
    consoleRoutes(app, { settings: defaults, demo });
    assert.equal((await app.inject('/admin/catalogue')).statusCode, status);
  }
});

test('all of it is drawn, and free of faults that axe-core finds, in both themes', async (t) => {
  const app = fastify();
  consoleRoutes(app, { settings: defaults, demo: {} });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const chromium = await openChromium();
  t.after(() => Promise.all([chromium.close(), app.close()]));
  const { page } = await openPage(chromium, { reducedMotion: 'reduce' });
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(`${address}/admin/catalogue`);
  await page.getByText('unknown column "titel"').waitFor();
  await page.getByRole('region', { name: 'List', exact: true }).waitFor();
  for (const theme of ['light', 'dark']) {
    await page.getByLabel('Theme').selectOption(theme);
    for (const opens of [null, 'Dialog: drawer']) {
      if (opens !== null) await page.getByRole('button', { name: opens }).click();
      assert.deepEqual(await axeFaults(page), [], `${theme}, ${opens}`);
      if (opens !== null) await page.keyboard.press('Escape');
    }
  }
  assert.deepEqual(errors, []);
});
