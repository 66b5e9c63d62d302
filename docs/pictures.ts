/**
 * `npm run pictures`: makes the pictures of docs/how-to/console.md anew, in a real browser, from the sample that the tests of the
 * console use. With `--all <folder>` every screen as well, in each look, outside of the documentation.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openChromium } from '../lab/machine/chromium.ts';
import { type Browser, openHouse } from '../test/administration/house.ts';
import { goTo, type Place, places } from '../test/console/places.ts';
import { makeSample } from '../test/console/sample.ts';
import { openConsole } from '../test/console/signed-in.ts';

const help = `Usage: npm run pictures -- [flags]
Makes the pictures of docs/how-to/console.md anew.

  --all <folder>  also every screen, in light, dark, Japanese and at the width of a phone, as <look>/<screen>.png in the folder
  --help          prints this`;

const { values } = parseArgs({ options: { all: { type: 'string' }, help: { type: 'boolean' } } });

const folder = join(import.meta.dirname, 'how-to/console');
const version = '/company/1/app/crm/1.0.0';
const records = '/companies/1/applications/crm/versions/1.0.0/records/batch';

interface Look {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  readonly language: 'en' | 'ja';
}

const light: Look = { width: 1280, height: 720, colorScheme: 'light', language: 'en' };
const looks = {
  light,
  dark: { ...light, colorScheme: 'dark' },
  japanese: { ...light, language: 'ja' },
  phone: { ...light, width: 390, height: 844 },
} as const satisfies Record<string, Look>;

interface Picture {
  /** Of the file. */
  readonly name: string;
  /** In the console. */
  readonly path: string;
  /** Has to be there before the picture is taken. */
  readonly shows: string;
  readonly look?: keyof typeof looks;
}

const someRecords = `${version}/records/Task?where=${encodeURIComponent("#r.title LIKE '%order%'")}&sort=-title`;

const pictures: readonly Picture[] = [
  { name: 'home', path: '/company/1/home', shows: '.step.done' },
  { name: 'home-japanese', path: '/company/1/home', shows: '.step.done', look: 'japanese' },
  { name: 'companies', path: '/companies', shows: 'text=Globex' },
  { name: 'table', path: `${version}/tables/Task`, shows: 'text=title' },
  { name: 'table-japanese', path: `${version}/tables/Task`, shows: 'text=title', look: 'japanese' },
  { name: 'records', path: someRecords, shows: 'tbody tr' },
  { name: 'records-dark', path: someRecords, shows: 'tbody tr', look: 'dark' },
  { name: 'record', path: `${version}/records/Task?record=task-7`, shows: 'dialog textarea, dialog input' },
  { name: 'transaction', path: `${version}/transactions?id=tablet-7%2F1`, shows: 'text=Written once.' },
  { name: 'playground', path: `${version}/playground`, shows: 'textarea' },
  { name: 'role', path: '/company/1/roles/100', shows: 'dialog input[type=checkbox]' },
  { name: 'logs-phone', path: '/company/1/app/crm/logs', shows: 'tbody tr', look: 'phone' },
  { name: 'health', path: '/health', shows: 'svg.chart' },
];

async function make(all: string | undefined): Promise<void> {
  const house = await openHouse();
  const chromium = await openChromium();
  try {
    const root = await house.setUp('root');
    await makeSample(house, root);
    await addTasks(root);
    const { page } = await openConsole(chromium, house);
    const address = `${house.server.url}/admin/`;
    for (const { name, path, shows, look = 'light' } of pictures) {
      await putOn(page, address, looks[look]);
      await page.goto(`${address}#${path}`);
      await page.locator(shows).first().waitFor();
      if (name === 'playground') await page.getByRole('button', { name: 'Run' }).click();
      await takePicture(page, join(folder, `${name}.png`));
    }
    if (all === undefined) return;
    for (const [name, look] of Object.entries(looks)) {
      mkdirSync(join(all, name), { recursive: true });
      await putOn(page, address, look);
      for (const [index, place] of places.entries()) {
        await goTo(page, house, place);
        await takePicture(page, join(all, name, `${numbered(index, place)}.png`));
        if (place.click !== undefined) await page.keyboard.press('Escape');
      }
    }
  } finally {
    await chromium.close();
    await house.close();
  }
}

/** In the order of the places, since a screen has several. */
const numbered = (index: number, { screen }: Place) => `${String(index + 1).padStart(2, '0')}-${screen}`;

async function putOn(page: Page, address: string, { width, height, colorScheme, language }: Look): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
  await page.goto('about:blank');
  await page.goto(address);
  await page.evaluate(`localStorage.setItem('rowhouse.language', '${language}')`);
  await page.reload();
}

async function takePicture(page: Page, path: string): Promise<void> {
  // Nothing is to look as if the pointer were on it.
  await page.mouse.move(0, 0);
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  await page.screenshot({ path });
  console.log(`${path}: ${statSync(path).size} bytes`);
}

async function addTasks(root: Browser): Promise<void> {
  const things = ['the order of', 'the invoice of', 'a call from', 'the delivery to'];
  const towns = ['Oslo', 'Lyon', 'Porto', 'Graz', 'Turku', 'Split'];
  const data = Array.from({ length: 60 }, (_, index) => ({
    objectId: `task-${index + 1}`,
    title: `Check ${things[index % things.length]} ${towns[index % towns.length]}`,
    amount: `${(index * 37) % 500}.${index % 10}0`,
    scopeType: 1 + (index % 3),
  }));
  const operations = [{ op: 'add', objectName: 'Task', data }];
  const { status, text } = await root.call('POST', records, { transactionId: 'tablet-7/1', ownerId: 1, operations });
  if (status !== 200) throw new Error(text);
}

if (values.help === true) console.log(help);
else await make(values.all);
