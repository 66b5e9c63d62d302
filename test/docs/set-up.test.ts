/** Runs the commands of docs/how-to/set-up-a-company.md as written, and compares the output with the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchOf } from '../engines/scratch.ts';
import { comparable, numbering, runSteps, stepsOf } from './shell.ts';

const page = 'docs/how-to/set-up-a-company.md';

test(page, async (t) => {
  const steps = stepsOf(page, 'Company, people and application');
  const { folder, variables } = await scratchOf(t);
  const printed = await runSteps(steps, { folder, variables: { ...variables, ROWHOUSE_SECRET_KEY: '0'.repeat(64) } });
  const onPage = numbering();
  const here = numbering();
  for (const [index, { lines, shown, isJson }] of steps.entries()) {
    const came = here(comparable(printed[index] ?? '', isJson));
    const wanted = onPage(comparable(shown, isJson));
    await t.test(lines.split('\n')[0] ?? '', () => assert.equal(came, wanted));
  }
});
