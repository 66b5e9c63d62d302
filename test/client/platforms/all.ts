/** `npm run test:client`: the client's tests in browsers and on other runtimes. */
import { path, readFlags } from '../../../lab/machine/command.ts';
import { chromium, type Platform, platformOf } from './programs.ts';
import { testOn } from './tests.ts';

const flags = readFlags(
  `Usage: npm run test:client -- [flags] [files]
Runs the tests of the client, or the named files such as outbox.test.ts, in the Chromium that comes with npm ci, or in
the given programs: paths, or names in PATH. The service runs in this process, and allows the origin of the tests' page.`,
  {
    firefox: path('file', 'a Firefox, run without a window in a profile of its own: firefox-esr'),
    chromium: path('file', 'another Chromium, Chrome or Edge, run in the same way'),
    deno: path('file', 'Deno'),
    bun: path('file', 'Bun'),
    node: path('file', 'another version of Node, from 20 on'),
  },
);

const platforms: Platform[] = [];
try {
  for (const name of ['firefox', 'chromium', 'deno', 'bun', 'node'] as const) {
    const program = flags[name];
    if (program !== null) platforms.push(await platformOf(name, program));
  }
  for (const platform of platforms.length === 0 ? [chromium] : platforms)
    testOn(platform, flags.words.length === 0 ? undefined : flags.words);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
