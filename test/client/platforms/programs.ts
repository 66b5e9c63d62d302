/** The platforms on which the client's tests run, and how each is started. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openChromium } from '../../../lab/machine/chromium.ts';
import type { Kind } from './bundle.ts';
import type { Control } from './control.ts';

export interface Platform {
  /** With its version. */
  readonly name: string;
  readonly kind: Kind;
  /** Starts it with the tests. */
  open(control: Control): Promise<Running>;
}

export interface Running {
  /** Resolves, with the reason, when the program ends. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** The Chromium of the suite. */
export const chromium: Platform = {
  name: 'Chromium',
  kind: 'browser',
  async open({ url }) {
    const browser = await openChromium();
    const page = await browser.newPage();
    const ended = new Promise<string>((resolve) => {
      page.on('crash', () => resolve('its page crashed'));
      browser.on('disconnected', () => resolve('it was closed'));
    });
    await page.goto(`${url}/`);
    return { ended, close: () => browser.close() };
  },
};

/** No start page, no prompts, and no requests by the browser itself. */
const firefoxSettings = [
  ['browser.shell.checkDefaultBrowser', false],
  ['browser.startup.homepage_override.mstone', 'ignore'],
  ['datareporting.policy.dataSubmissionEnabled', false],
  ['toolkit.telemetry.reportingpolicy.firstRun', false],
  ['app.normandy.enabled', false],
  ['app.update.enabled', false],
  ['browser.safebrowsing.malware.enabled', false],
  ['browser.safebrowsing.phishing.enabled', false],
  ['extensions.getAddons.cache.enabled', false],
  ['extensions.update.enabled', false],
  ['network.captive-portal-service.enabled', false],
  ['network.connectivity-service.enabled', false],
  ['services.settings.server', 'data:,'],
] as const;

const programs = {
  firefox: {
    kind: 'browser',
    argumentsOf({ url }, folder) {
      const lines = firefoxSettings.map(
        ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
      );
      writeFileSync(join(folder, 'user.js'), lines.join('\n'));
      return ['--headless', '--no-remote', '--profile', folder, `${url}/`];
    },
  },
  chromium: {
    kind: 'browser',
    argumentsOf: ({ url }, folder) => [
      '--headless',
      '--no-first-run',
      '--no-sandbox',
      `--user-data-dir=${folder}`,
      `${url}/`,
    ],
  },
  deno: {
    kind: 'runtime',
    argumentsOf: (control, folder) => ['run', '--quiet', '--no-config', '--allow-all', writeModules(control, folder)],
  },
  bun: {
    kind: 'runtime',
    argumentsOf: (control, folder) => ['run', writeModules(control, folder)],
  },
  node: {
    kind: 'runtime',
    argumentsOf: (control, folder) => [writeModules(control, folder)],
  },
} satisfies Readonly<Record<string, { kind: Kind; argumentsOf(control: Control, folder: string): string[] }>>;

export type ProgramName = keyof typeof programs;

function writeModules({ modules }: Control, folder: string): string {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const [name, text] of modules) writeFileSync(join(folder, name), text);
  return join(folder, 'main.js');
}

/** @param program a path, or a name in PATH @throws Error if it can't be started */
export async function platformOf(name: ProgramName, program: string): Promise<Platform> {
  const { kind, argumentsOf } = programs[name];
  const { stdout } = await promisify(execFile)(program, ['--version']).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `Expected a program that prints its version, got ${program}: ${error.code === 'ENOENT' ? 'there is none' : error.message}`,
    );
  });
  const version = stdout.split('\n')[0]?.trim() ?? '';
  return {
    name: /^v?\d/.test(version) ? `${name} ${version}` : version,
    kind,
    async open(control) {
      const folder = mkdtempSync(join(tmpdir(), 'rowhouse-platform-'));
      // In its own process group, so that it can be killed with its children.
      const child = spawn(program, argumentsOf(control, folder), {
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2_000);
      });
      const ended = once(child, 'close').then(([code, signal]) => `it ended with ${code ?? signal}: ${said}`);
      return {
        ended,
        async close() {
          if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL');
          await ended;
          rmSync(folder, { recursive: true, maxRetries: 5 });
        },
      };
    },
  };
}
