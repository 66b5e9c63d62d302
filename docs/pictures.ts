/** Makes the pictures of docs/how-to/console.md anew, in a real browser, from the sample that the tests of the console use. */
import { join } from 'node:path';
import { type Browser, openHouse } from '../test/administration/house.ts';
import { makeSample } from '../test/console/sample.ts';
import { openConsole } from '../test/console/signed-in.ts';
import { openChromium } from '../test/pages/chromium.ts';

const folder = join(import.meta.dirname, 'how-to/console');
const version = '/company/1/app/crm/1.0.0';
const records = '/companies/1/applications/crm/versions/1.0.0/records/batch';

/** Name of the picture, address in the console, and what has to be there before it is taken. */
const pictures: readonly (readonly [name: string, path: string, shows: string])[] = [
  ['home', '/company/1/home', '.step.done'],
  ['companies', '/companies', 'text=Globex'],
  ['table', `${version}/tables/Task`, 'text=title'],
  ['records', `${version}/records/Task?where=${encodeURIComponent("#r.title LIKE '%order%'")}&sort=-title`, 'tbody tr'],
  ['record', `${version}/records/Task?record=task-7`, 'dialog textarea, dialog input'],
  ['transaction', `${version}/transactions?id=tablet-7%2F1`, 'text=Written, once.'],
  ['playground', `${version}/playground`, 'textarea'],
  ['role', '/company/1/roles/100', 'dialog input[type=checkbox]'],
  ['health', '/health', 'svg.chart'],
];

const house = await openHouse();
const chromium = await openChromium();
try {
  const root = await house.setUp('root');
  await makeSample(house, root);
  await addTasks(root);
  const { page } = await openConsole(chromium, house);
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  for (const [name, path, shows] of pictures) {
    await page.goto(`${house.server.url}/admin/#${path}`);
    await page.locator(shows).first().waitFor();
    if (name === 'playground') await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    await page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`docs/how-to/console/${name}.png was made anew.`);
  }
} finally {
  await chromium.close();
  await house.close();
}

async function addTasks(root: Browser): Promise<void> {
  const things = ['the order of', 'the invoice of', 'a call from', 'the delivery to'];
  const towns = ['Oslo', 'Lyon', 'Porto', 'Graz', 'Turku', 'Split'];
  const data = Array.from({ length: 60 }, (_, index) => ({
    objectId: `task-${index + 1}`,
    title: `Check ${things[index % things.length]} ${towns[index % towns.length]}`,
    scopeType: 1 + (index % 3),
  }));
  const operations = [{ op: 'add', objectName: 'Task', data }];
  const { status, text } = await root.call('POST', records, { transactionId: 'tablet-7/1', ownerId: 1, operations });
  if (status !== 200) throw new Error(text);
}
