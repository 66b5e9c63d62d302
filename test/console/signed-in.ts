/** The console in a real browser, signed in: the start of the tests of its screens, and of its pictures. */
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { type Opened, openPage } from '../../lab/machine/chromium.ts';
import { type House, password } from '../administration/house.ts';

export interface SignIn {
  readonly account?: string;
  /** The company of a user; absent for administrators. */
  readonly companyId?: number;
  /** Place in the console, such as `/company/1/users`. */
  readonly at?: string;
  readonly context?: BrowserContextOptions;
}

/** @returns a page with its own cookies, signed in by the form */
export async function openConsole(
  chromium: Browser,
  { server }: { readonly server: Pick<House['server'], 'url'> },
  { account = 'root', companyId, at = '', context = {} }: SignIn = {},
): Promise<Opened> {
  const opened = await openPage(chromium, context);
  await opened.page.addInitScript({ path: join(import.meta.dirname, 'in-page.js') });
  await opened.page.goto(`${server.url}/admin/#${at}`);
  await opened.page.getByLabel('Account').fill(account);
  await opened.page.getByLabel('Password').fill(password);
  if (companyId !== undefined) await opened.page.getByLabel('Company').fill(String(companyId));
  await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await opened.page.locator('.frame').waitFor();
  return opened;
}
