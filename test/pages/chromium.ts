/**
 * A real browser without a window: Chromium as an npm package, which brings the libraries that a minimal system lacks. Its
 * sandbox is off, since tests may run as root; it opens pages of the service under test only. The package unpacks itself into
 * the folder for temporary files without a lock, so a single test file may use it.
 */
import { type Browser, chromium, type Page } from 'playwright-core';

// The package unpacks its libraries only where it takes the machine for one of the platform that it is made for.
process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
const { default: packaged } = await import('@sparticuz/chromium');

/** Closed by the test. */
export async function openChromium(): Promise<Browser> {
  const executablePath = await packaged.executablePath();
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];
  return await chromium.launch({ executablePath, args, headless: true });
}

export interface Opened {
  readonly page: Page;
  /** What the page's console and uncaught errors told so far; a script that fails is in it. */
  readonly faults: readonly string[];
}

/** A page with cookies of its own. */
export async function openPage(browser: Browser): Promise<Opened> {
  const page = await (await browser.newContext()).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  // An answer that refuses is no fault of the page, which shows it.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  return { page, faults };
}
