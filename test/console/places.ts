/** Every screen of the console, with its dialogs and drawers, as places in the sample (`sample.ts`). */
import type { Page } from 'playwright-core';
import type { House } from '../administration/house.ts';

export interface Place {
  /** As in `console/frame/screens.ts`. */
  readonly screen: string;
  readonly path: string;
  /** Whether the address opens a dialog. */
  readonly opens?: true;
  /** Opens a dialog when clicked. */
  readonly click?: string;
  /** Texts of the sample that must appear there. */
  readonly reads?: readonly string[];
}

const version = '/company/1/app/crm/1.0.0';
const dangerous = 'main .button.dangerous, dialog .button.dangerous';
const firstEntry = 'tbody th button';

export const places: readonly Place[] = [
  { screen: 'home', path: '/home', reads: ['Acme Ltd', 'Globex 日本'] },
  { screen: 'home', path: '/company/1/home' },
  { screen: 'companies', path: '/companies', reads: ['Acme Ltd', 'Globex 日本'] },
  { screen: 'companies', path: '/companies/1', opens: true, reads: ['Acme Ltd'] },
  { screen: 'companies', path: '/companies', click: '.bar button[aria-haspopup]', reads: ['Acme Ltd'] },
  { screen: 'administrators', path: '/administrators/1', opens: true },
  { screen: 'trail', path: '/trail' },
  { screen: 'trail', path: '/trail?action=company.create', click: firstEntry, reads: ['Globex 日本'] },
  { screen: 'health', path: '/health' },
  { screen: 'settings', path: '/settings' },
  { screen: 'nodes', path: '/nodes' },
  { screen: 'applications', path: '/company/1/applications/crm', opens: true, reads: ['Customers', 'Acme Ltd'] },
  { screen: 'applications', path: '/company/1/applications/+', opens: true, reads: ['Sales'] },
  { screen: 'users', path: '/company/1/users/1', opens: true, reads: ['ann', 'bob', 'First', 'Last', 'Sales'] },
  { screen: 'users', path: '/company/1/users/1', opens: true, click: dangerous, reads: ['ann'] },
  { screen: 'groups', path: '/company/1/groups/1', opens: true, reads: ['Sales', 'All of Sales', 'ann'] },
  { screen: 'groups', path: '/company/1/groups/1', opens: true, click: dangerous, reads: ['Sales'] },
  { screen: 'roles', path: '/company/1/roles/100', opens: true, reads: ['Auditor', 'Looks only'] },
  { screen: 'sessions', path: '/company/1/sessions?userId=1', click: dangerous, reads: ['ann', 'Ann’s phone'] },
  {
    screen: 'audit',
    path: '/company/1/audit?action=session.start',
    click: firstEntry,
    reads: ['ann', 'phone-of-ann'],
  },
  { screen: 'audit', path: '/company/1/audit?action=role.create', click: firstEntry, reads: ['Looks only'] },
  { screen: 'versions', path: '/company/1/app/crm/versions/1.0.0', opens: true },
  { screen: 'providers', path: '/company/1/app/crm/providers/idp', opens: true, reads: ['crm'] },
  { screen: 'devices', path: '/company/1/app/crm/devices', reads: ['phone-of-ann', 'Ann’s phone', 'Android'] },
  { screen: 'logs', path: '/company/1/app/crm/logs', click: firstEntry, reads: ['No paper', 'Cannot print'] },
  { screen: 'tables', path: `${version}/tables` },
  { screen: 'tables', path: `${version}/tables/Task` },
  { screen: 'records', path: `${version}/records/Task`, reads: ['First call'] },
  { screen: 'records', path: `${version}/records/Task?record=task-1`, opens: true, reads: ['First call'] },
  { screen: 'records', path: `${version}/records/Task?import=yes` },
  { screen: 'browse', path: `${version}/browse`, reads: ['ann'] },
  { screen: 'playground', path: `${version}/playground` },
  { screen: 'transactions', path: `${version}/transactions?id=tablet-7%2F1` },
];

/** Goes to a place, and waits until all its requests are answered. */
export async function goTo(page: Page, { server }: House, { screen, path, opens, click }: Place): Promise<void> {
  await page.goto(`${server.url}/admin/#${path}`);
  await page.locator(`nav a[aria-current="page"][href$="/${screen}"]`).first().waitFor({ state: 'attached' });
  await page.locator('main :is(.table-frame, .empty, form, textarea, svg.chart)').first().waitFor();
  if (opens) await page.locator('dialog[open] form').first().waitFor();
  if (click !== undefined) await page.locator(click).first().click();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}
