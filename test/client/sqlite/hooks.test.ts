/** The hooks for React by themselves, in a browser: what they show, when they ask again, and when they stop. They know no service. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../../../lab/machine/chromium.ts';

let browser: Browser;
let page: Page;
before(async () => {
  browser = await openChromium();
  const bundled = await build({
    entryPoints: [join(import.meta.dirname, 'hooks-page.ts')],
    ...{ bundle: true, write: false, format: 'iife', target: 'es2022', logLevel: 'silent' },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  page = await browser.newPage();
  await page.addScriptTag({ content: bundled.outputFiles[0]?.text ?? '' });
});
after(() => browser?.close());

const played = (name: string) => page.evaluate(`page.${name}()`);

test('useQuery watches one reading as long as its key is the same, and ends with its component', async () => {
  assert.deepEqual(await played('query'), [undefined, 1, true, 'first', 'second', 0, 1, 0]);
});

test('useMutation shows the last of several runs, what it threw, and nothing after a reset', async () => {
  assert.deepEqual(await played('mutation'), [
    [false, null, null],
    [true, null, null],
    [false, 'quick', null],
    [false, 'quick', null],
    'thrown',
    [false, null, 'failed'],
    [false, null, null],
  ]);
});

test('useSession tells who is signed in and whether to sign in, and renders for nothing else', async () => {
  const alice = { userId: '1', firstName: 'Alice' };
  assert.deepEqual(await played('session'), [
    { user: null, mustSignIn: true },
    { user: alice, mustSignIn: false },
    0,
    { user: alice, mustSignIn: true },
    0,
  ]);
});

test('useOutbox shows what was read last, whichever answer comes last', async () => {
  assert.deepEqual(await played('outbox'), ['new']);
});

test('without a provider the error says what to put around the component', async () => {
  assert.match(String(await played('nothing')), /AnswersProvider/);
});
