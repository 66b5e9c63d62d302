/**
 * A real browser without a window: Chromium as an npm package, which brings the libraries that a minimal system lacks,
 * and a font of Japanese beside. Its sandbox is off, since tests may run as root; it opens only pages of the service
 * under test.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const load = createRequire(import.meta.url);
const versionOf = (name: string) => (load(`${name}/package.json`) as { readonly version: string }).version;

/** Of Japanese; the browser's package has a font for other scripts only. */
const japanese = '@expo-google-fonts/sawarabi-gothic';

/** The archives of the package that the browser needs without a graphics card. */
const archives = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];

/**
 * Where the package is unpacked. The package has no lock, so it is unpacked next to this folder and then moved; if two
 * test files do so at once, one uses the result of the other.
 */
async function unpack(): Promise<string> {
  const folder = join(tmpdir(), `rowhouse-chromium-${versionOf('@sparticuz/chromium')}-${versionOf(japanese)}`);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(`${folder}-`);
  const bin = join(dirname(load.resolve('@sparticuz/chromium/package.json')), 'bin');
  // The package reads its target folder from the environment, which other code must not see meanwhile.
  const inflater = load.resolve('@sparticuz/chromium/build/lambdafs.js');
  await promisify(execFile)(
    process.execPath,
    ['--eval', inflateAll, inflater, ...archives.map((name) => join(bin, name))],
    { env: { ...process.env, TMPDIR: own } },
  );
  const fonts = join(own, 'fonts', 'fonts.conf');
  const settings = readFileSync(fonts, 'utf8').replaceAll('/tmp/fonts', join(folder, 'fonts'));
  writeFileSync(fonts, settings.replace('</fontconfig>', `${latinFirst}</fontconfig>`));
  copyFileSync(
    load.resolve(`${japanese}/400Regular/SawarabiGothic_400Regular.ttf`),
    join(own, 'fonts', 'japanese.ttf'),
  );
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The arguments of a separate process: the module that inflates, and the archives. */
const inflateAll = `const [, inflater, ...paths] = process.argv;
Promise.all(paths.map((path) => require(inflater).default.inflate(path)));`;

/** Fontconfig would take any of its fonts for a family that it lacks, and the Japanese one has letters of Latin as well. */
const latinFirst = `<match><edit name="family" mode="append_last" binding="strong"><string>Open Sans</string></edit></match>`;

/** Closed by the test. */
export async function openChromium(): Promise<Browser> {
  const folder = await unpack();
  const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_PATH: join(folder, 'fonts'),
  };
  return await chromium.launch({ executablePath: join(folder, 'chromium'), args, env, headless: true });
}

export interface Opened {
  readonly page: Page;
  /** The errors in the page's console, and uncaught errors such as those of failed scripts. */
  readonly faults: readonly string[];
}

/** A page with its own cookies. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const page = await (await browser.newContext(options)).newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  // A refusal by the service is not a fault of the page, which shows it.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  return { page, faults };
}
