/** Runs the commands of the guides on identity providers as written, and compares the output with the pages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { openDirectory } from '../../src/directory/directory.ts';
import { systemEnvironment } from '../../src/environment.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type Scratch, scratchOf } from '../engines/scratch.ts';
import { comparable, root, runSteps, stepsOf } from './shell.ts';

/** Creates what the pages assume to exist. */
async function setUp({ settings }: Pick<Scratch, 'settings'>): Promise<void> {
  const log = pino({ level: 'silent' });
  const storage = await openStorage({ ...defaults, ...settings }, systemEnvironment, log);
  const { companies, groups, applications } = openDirectory(storage, systemEnvironment);
  await companies.create({ name: 'Acme' });
  for (const name of ['Sales', 'Support']) await groups.create({ companyId: 1, name });
  await applications.create({ companyId: 1, appId: 'crm' });
  await storage.close();
}

describe('guides on identity providers', { concurrency: 2 }, () => {
  for (const provider of ['any-provider', 'keycloak', 'google', 'microsoft-entra']) {
    const page = `docs/how-to/sign-in-with-${provider}.md`;
    test(page, async (t) => {
      const steps = stepsOf(page, 'In Rowhouse');
      const shellBlocks = readFileSync(join(root, page), 'utf8').match(/^```sh$/gm) ?? [];
      assert.equal(steps.length, shellBlocks.length, 'no shell line stands elsewhere on the page');
      const { folder, variables, settings } = await scratchOf(t);
      await setUp({ settings });
      const shell = { folder, variables: { ...variables, ROWHOUSE_SECRET_KEY: '0'.repeat(64) } };
      const printed = await runSteps(steps, shell);
      for (const [index, { shown, isJson }] of steps.entries()) {
        assert.equal(comparable(printed[index] ?? '', isJson), comparable(shown, isJson));
      }
    });
  }
});
