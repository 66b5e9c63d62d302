/** The client's tests on another platform, each as a test of this process. */
import { test } from 'node:test';
import { filesFor } from './bundle.ts';
import { openControl } from './control.ts';
import type { Platform } from './programs.ts';

/** @param files all by default */
export function testOn(platform: Platform, files: readonly string[] = filesFor[platform.kind]): void {
  test(`the tests of the client in ${platform.name}`, async (context) => {
    const reported = new Set<string>();
    const tests: Promise<void>[] = [];
    const control = await openControl(files, platform.kind, ({ file, name, failed }) => {
      reported.add(file);
      const judge = () => {
        if (failed !== null)
          throw Object.assign(new Error(failed.message), { stack: `${failed.message}\n${failed.stack}` });
      };
      tests.push(context.test(`${file}: ${name}`, judge));
    });
    try {
      const running = await platform.open(control);
      const early = running.ended.then((how) => {
        throw new Error(`${platform.name} did not run all tests: ${how}`);
      });
      try {
        await Promise.race([control.ended, early]);
      } finally {
        early.catch(() => {});
        await running.close();
      }
    } finally {
      await control.close();
      await Promise.all(tests);
    }
    for (const file of files) if (!reported.has(file)) throw new Error(`Expected a report of ${file}, got none.`);
  });
}
