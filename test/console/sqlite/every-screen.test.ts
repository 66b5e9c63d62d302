/**
 * Every screen of the console with its dialogs, in a real browser, with long and hostile stored texts: text stays text,
 * everything can be read and reached from 320 px to 4K, and `axe-core` finds nothing, in both languages and themes. The
 * look does not depend on the engine, so this runs on one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser as Chromium, Page } from 'playwright-core';
import { axeFaults } from '../../../lab/machine/axe.ts';
import { openChromium } from '../../../lab/machine/chromium.ts';
import { type Browser, type House, openHouse } from '../../administration/house.ts';
import { startMadeUpProvider } from '../../auth/made-up-provider.ts';
import { goTo, type Place, places } from '../places.ts';
import { areAllAsked, rows } from '../rows.ts';
import { addRecord, makeSample, posting } from '../sample.ts';
import { openConsole } from '../signed-in.ts';

/**
 * A text that escapes from an attribute, a field or a tag, and marks the elements it creates. It has no spaces, so that
 * it is also a valid id, and does not wrap by itself.
 */
const attack = `"'></option></textarea></title><img/data-made/onerror="inPage.isHurt=1"src="x"><svg/data-made/onload=inPage.isHurt=1>`;
const hostile = (text: string) => `${text}${attack}`;

type Size = readonly [width: number, height: number];

const phone: Size = [320, 640];
const desktop: Size = [1440, 900];
const sizes: readonly Size[] = [...rows<Size>([[3840, 2160], [768, 1024], desktop], 3), phone];

let chromium: Chromium;
let house: House;
let root: Browser;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  root = await house.setUp('root');
  await makeSample(house, root, hostile);
  await addRecord(root, hostile);
  // The policy would block most injected markup, so it is off here.
  ({ page, faults } = await openConsole(chromium, house, { context: { bypassCSP: true, reducedMotion: 'reduce' } }));
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

/** @param expression of `in-page.js` */
const inPage = (expression: string) => page.evaluate<string[]>(`inPage.${expression}`);

/** Leaves the page at the width of a phone. */
async function layoutFaults(): Promise<string[]> {
  const found: string[] = [];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    found.push(...(await inPage('layoutFaults()')).map((fault) => `${width} px: ${fault}`));
  }
  return found;
}

test('no screen is missing', async () => {
  await goTo(page, house, places.at(-1) as Place);
  const links = page.getByRole('navigation').getByRole('link');
  const screens = (await links.all()).map(async (link) => (await link.getAttribute('href'))?.split('/').at(-1));
  assert.deepEqual(new Set(await Promise.all(screens)), new Set(places.map(({ screen }) => screen)));
});

test('Japanese is drawn, so that cut-off text can be detected', async () => {
  assert.equal(await page.evaluate('inPage.drawsJapanese()'), true);
});

const nameOf = ({ path, click }: Place) => `${path}${click === undefined ? '' : `, ${click}`}`;

const themes = ['light', 'dark'] as const;

/**
 * Holds what is open, whichever hostile texts it shows, against all of the above.
 * @param texts of which the hostile ones are to be read
 * @param theme that `npm test` takes
 */
async function isWell(texts: readonly string[], theme: number): Promise<void> {
  await page.waitForFunction(`inPage.shows(${JSON.stringify(texts.map(hostile))})`);
  const [made, layout] = [await inPage('madeOfText()'), await layoutFaults()];
  const found: string[] = [];
  for (const [which, colorScheme] of themes.entries()) {
    if (!areAllAsked && theme !== which) continue;
    await page.emulateMedia({ colorScheme });
    found.push(...(await axeFaults(page, { rules: { 'target-size': { enabled: true } } })));
  }
  await page.setViewportSize({ width: desktop[0], height: desktop[1] });
  if (areAllAsked) found.push(...(await axeFaults(page, { runOnly: ['target-size'] })));
  assert.deepEqual({ made, layout, axe: found }, { made: [], layout: [], axe: [] });
  assert.equal(await page.evaluate('inPage.isHurt'), false);
  assert.deepEqual(faults, []);
}

/** In `npm test` each place has one language, and one theme. */
for (const [half, language] of ['en', 'ja'].entries()) {
  describe(`in ${language}`, () => {
    before(async () => {
      await page.evaluate(`localStorage.setItem('rowhouse.language', '${language}')`);
      await page.reload();
    });

    for (const [index, place] of places.entries()) {
      if (!areAllAsked && index % 2 !== half) continue;
      test(nameOf(place), async () => {
        await goTo(page, house, place);
        await isWell(place.reads ?? [], (index >> 1) % 2);
        if (place.click !== undefined) await page.keyboard.press('Escape');
      });
    }
  });
}

test('claims from a provider on trial are shown as plain text', async (t) => {
  let nonce = '';
  const provider = await startMadeUpProvider(async () => nonce, 'tried');
  t.after(() => provider.close());
  const claims = { name: hostile('Whole name'), given_name: hostile('First'), [hostile('own')]: hostile('claim') };
  Object.assign(provider.answers.userInfo, claims);
  const client = { clientId: 'tried', redirectUri: 'https://app.example.com/tried' };
  const post = posting(root);
  await post('/companies/1/applications/crm/providers', { name: 'tried', issuer: provider.issuer });
  await post('/companies/1/applications/crm/providers/tried/clients', client);
  await page.goto(`${house.server.url}/admin/#/company/1/app/crm/providers/tried`);
  await page.getByRole('button', { name: /^(Try|サインインを試す).*: tried$/ }).click();
  const location = (await page.locator('dialog a[target]').getAttribute('href')) as string;
  const asked = new URL(location).searchParams;
  nonce = asked.get('nonce') as string;
  const code = 'the-code-of-the-trial';
  house.secrets.push(code);
  const form = page.locator('dialog form').first();
  const state = asked.get('state') as string;
  await form.locator('input').fill(`${client.redirectUri}?${new URLSearchParams({ code, state })}`);
  await form.locator('button').click();
  await isWell(['Whole name', 'First', 'own', 'claim'], 0);
});
