/**
 * The screens shown to each role, and the service's answers to their requests: the service also refuses the requests of
 * hidden screens, and answers those of shown ones.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser as Chromium } from 'playwright-core';
import { openChromium, openPage } from '../../../lab/machine/chromium.ts';
import { type Browser, type House, openHouse, password } from '../../administration/house.ts';
import { places } from '../places.ts';
import { rows } from '../rows.ts';
import { addRecord, makeSample } from '../sample.ts';

let chromium: Chromium;
let house: House;
let root: Browser;

before(async () => {
  [chromium, house] = await Promise.all([openChromium(), openHouse()]);
  root = await house.setUp('root');
  await makeSample(house, root);
  await addRecord(root);
});

after(async () => {
  await chromium?.close();
  await house?.close();
});

const app = '/companies/1/applications/crm';
const version = `${app}/versions/1.0.0`;
const all = { from: { phyName: 'Task', alias: 't' } };

/** The first request of each screen. */
const asked: Readonly<Record<string, readonly [method: string, path: string, body?: unknown]>> = {
  home: ['GET', '/companies/1'],
  companies: ['GET', '/companies'],
  administrators: ['GET', '/administrators'],
  trail: ['GET', '/audit'],
  health: ['GET', '/statistics?span=hour'],
  settings: ['GET', '/settings'],
  nodes: ['GET', '/nodes'],
  applications: ['GET', '/companies/1/applications'],
  users: ['GET', '/companies/1/users'],
  groups: ['GET', '/companies/1/groups'],
  roles: ['GET', '/companies/1/roles'],
  sessions: ['GET', '/companies/1/sessions'],
  audit: ['GET', '/audit?companyId=1'],
  versions: ['GET', `${app}/versions`],
  providers: ['GET', `${app}/providers`],
  devices: ['GET', `${app}/devices`],
  logs: ['GET', `${app}/logs`],
  tables: ['GET', `${version}/tables`],
  records: ['POST', `${version}/records/Task/select`, all],
  playground: ['POST', `${version}/records/Task/select`, all],
  browse: ['GET', '/companies/1/browse/users'],
  transactions: ['GET', `${version}/transactions/tablet-7%2F1`],
};

const ofApplication = ['logs', 'providers', 'devices', 'versions', 'applications'];
const everybody = ['users', 'roles', 'sessions'];
const ofVersion = ['tables', 'records', 'playground', 'transactions'];

/**
 * The screens that each role is shown (docs/reference/permissions.md); users of a company never see those of the
 * installation.
 */
const shownTo: Readonly<Record<string, readonly [roleId: number, screens: readonly string[]]>> = {
  'Super Admin': [2, ['home', ...ofVersion, ...ofApplication, ...everybody, 'browse', 'groups', 'audit', 'companies']],
  'App Admin': [1, ['tables', ...ofApplication, ...everybody, 'groups']],
  Admin: [3, ['browse', ...everybody, 'groups']],
  Manager: [4, [...everybody, 'groups']],
  User: [5, everybody],
  Developer: [6, ['tables', 'versions', 'applications', ...everybody]],
  'a custom role': [100, everybody],
};

/** Roles that see more than their own data there. Others are refused, and the screen requests their own data. */
const seeOthers: Readonly<Record<string, readonly string[]>> = {
  users: ['Super Admin', 'Admin', 'Manager'],
  sessions: ['Super Admin'],
};

/**
 * Whether the service refuses the screen's first request. For the installation's audit trail, it returns the company's
 * own part.
 */
const isRefused = (screen: string, role: string, shown: readonly string[]) =>
  screen === 'trail' ? role !== 'Super Admin' : !shown.includes(screen) || !(seeOthers[screen]?.includes(role) ?? true);

const screens = Object.keys(asked);

/** The screen's own address, with nothing open. */
const addressOf = (screen: string) => {
  const place = places.find((each) => each.screen === screen && !each.path.startsWith('/home'));
  const path = place?.path ?? `/${screen}`;
  return `${house.server.url}/admin/#${path.slice(0, path.indexOf(`/${screen}`) + screen.length + 1)}`;
};

for (const [role, [roleId, shown]] of rows(Object.entries(shownTo), 3)) {
  test(`${role} is shown ${shown.length} of ${screens.length} screens, and refused the requests of the others`, async () => {
    const memberships = [{ groupId: 1, roleId }];
    const made = await root.call('POST', '/companies/1/users', { account: role, password, memberships });
    assert.equal(made.status, 200, made.text);
    const user = house.browser();
    await user.signIn(role, password, 1);
    const { page, faults } = await openPage(chromium);
    await page.context().addCookies([...user.cookies].map(([name, value]) => ({ name, value, url: house.server.url })));
    await page.goto(`${house.server.url}/admin/#/company/1/app/crm/1.0.0/roles`);
    await page.locator('main .table-frame').waitFor();
    const links = await page.getByRole('navigation').getByRole('link').all();
    const linked = await Promise.all(links.map(async (link) => (await link.getAttribute('href'))?.split('/').at(-1)));
    assert.deepEqual(linked.toSorted(), shown.toSorted());
    const calls: string[] = [];
    page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith('/admin/api/') && pathname !== '/admin/api/companies/1')
        calls.push(`${response.status()} ${pathname}`);
    });
    for (const screen of screens) {
      calls.length = 0;
      await page.goto(addressOf(screen));
      if (shown.includes(screen)) {
        await page.locator('main :is(.table-frame, .empty, form, textarea, .card)').first().waitFor();
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
        const refused = calls.filter((line) => !line.startsWith('200'));
        assert.deepEqual(
          refused,
          isRefused(screen, role, shown) ? [`403 /admin/api/companies/1/${screen}`] : [],
          screen,
        );
      } else {
        await page.getByText('Your roles don’t permit this screen.').waitFor();
        assert.deepEqual(calls, [], screen);
      }
      const [method, path, body] = asked[screen]!;
      const { status } = await user.call(method, path, body);
      assert.equal(status, isRefused(screen, role, shown) ? 403 : 200, `${method} ${path}`);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });
}
