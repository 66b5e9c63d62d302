/** Sends the requests of docs/how-to/administer.md as written, and compares the answers with the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, password } from '../administration/house.ts';
import { folderOf } from '../engines/scratch.ts';
import { comparable, numbering, runSteps, stepsOf } from './shell.ts';

const page = 'docs/how-to/administer.md';

test(page, async (t) => {
  const steps = stepsOf(page, 'From the sign-in to the audit trail');
  const house = await openHouse();
  try {
    await house.setUp();
    const printed = await runSteps(steps, {
      folder: folderOf(t),
      variables: { ADMIN_PASSWORD: password, TEST_CURL: 'node' },
      addresses: { 'http://localhost:8080': house.server.url },
    });
    const onPage = numbering();
    const here = numbering();
    for (const [index, { lines, shown, isJson }] of steps.entries()) {
      const came = here(comparable((printed[index] ?? '').replaceAll('\r', ''), isJson));
      const wanted = onPage(comparable(shown, isJson));
      await t.test(lines.split('\n')[0] ?? '', () => assert.equal(came, wanted));
    }
  } finally {
    await house.close();
  }
});
