/**
 * Every screen of the console, and what opens on it, in a real browser, where every stored text is hostile and long: text stays
 * text, everything can be read and reached from 320 px to 4K, and `axe-core` finds nothing, in both languages and themes. How a
 * screen looks depends on no engine, so this runs on one.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Browser as Chromium, Page } from 'playwright-core';
import { type House, openHouse } from '../../administration/house.ts';
import { openChromium } from '../../pages/chromium.ts';
import { goTo, type Place, places } from '../places.ts';
import { addRecord, makeSample } from '../sample.ts';
import { openConsole } from '../signed-in.ts';

/**
 * Leaves an attribute, a field or a tag, whatever it is put into, and marks what it makes there. It has no spaces, so that it
 * is stored as an id too, and that no line breaks by itself.
 */
const attack = `"'></option></textarea></title><img/data-made/onerror="inPage.isHurt=1"src="x"><svg/data-made/onload=inPage.isHurt=1>`;
const hostile = (text: string) => `${text}${attack}`;

type Size = readonly [width: number, height: number];

const phone: Size = [320, 640];
const desktop: Size = [1440, 900];
/** Texts wrap differently in each language; what is wide depends on none. */
const sizesIn: Readonly<Record<string, readonly Size[]>> = {
  en: [phone, [768, 1024], desktop, [3840, 2160]],
  ja: [phone, desktop],
};

let chromium: Chromium;
let house: House;
let page: Page;
let faults: readonly string[];

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  const root = await house.setUp('root');
  await makeSample(house, root, hostile);
  await addRecord(root, hostile);
  // The policy would keep most of what the console might make of texts from working, so it is off here.
  ({ page, faults } = await openConsole(chromium, house, { context: { bypassCSP: true, reducedMotion: 'reduce' } }));
  await page.evaluate(axe.source);
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

/** @param expression of `in-page.js` */
const inPage = (expression: string) => page.evaluate<string[]>(`inPage.${expression}`);

/** What `axe-core` finds wrong with the page. */
async function violations(options: RunOptions): Promise<string[]> {
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

async function layoutFaults(sizes: readonly Size[]): Promise<string[]> {
  const found: string[] = [];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    found.push(...(await inPage('layoutFaults()')).map((fault) => `${width} px: ${fault}`));
    if (width === phone[0]) found.push(...(await violations({ runOnly: ['target-size'] })));
  }
  return found;
}

/** Colours differ between the themes, and not between the languages. */
async function faultsInTheDark(): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const found = await violations({ runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

test('no screen is left out', async () => {
  await goTo(page, house, places.at(-1) as Place);
  const links = page.getByRole('navigation').getByRole('link');
  const screens = (await links.all()).map(async (link) => (await link.getAttribute('href'))?.split('/').at(-1));
  assert.deepEqual(new Set(await Promise.all(screens)), new Set(places.map(({ screen }) => screen)));
});

const nameOf = ({ path, click }: Place) => `${path}${click === undefined ? '' : `, ${click}`}`;

for (const [language, sizes] of Object.entries(sizesIn)) {
  describe(`in ${language}`, () => {
    before(async () => {
      await page.evaluate(`localStorage.setItem('rowhouse.language', '${language}')`);
      await page.reload();
      await page.evaluate(axe.source);
    });

    for (const place of places) {
      test(nameOf(place), async () => {
        await goTo(page, house, place);
        await page.waitForFunction(`inPage.shows(${JSON.stringify((place.reads ?? []).map(hostile))})`);
        const found = {
          made: await inPage('madeOfText()'),
          layout: await layoutFaults(sizes),
          axe: await violations({ rules: { 'target-size': { enabled: true } } }),
          dark: language === 'en' ? await faultsInTheDark() : [],
        };
        if (place.click !== undefined) await page.keyboard.press('Escape');
        assert.deepEqual(found, { made: [], layout: [], axe: [], dark: [] });
        assert.equal(await page.evaluate('inPage.isHurt'), false);
        assert.deepEqual(faults, []);
      });
    }
  });
}
