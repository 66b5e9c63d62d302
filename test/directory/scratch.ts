/** A directory on temporary storage, removed after the test. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { defaults } from '../../src/config.ts';
import { openDirectory } from '../../src/directory/directory.ts';
import { type Environment, systemEnvironment } from '../../src/environment.ts';
import { ServiceError } from '../../src/errors.ts';
import { openStorage } from '../../src/storage/open.ts';
import { laidOutFor } from '../engines/scratch.ts';

export async function emptyDirectory(test: TestContext) {
  let now = Date.UTC(2026, 0, 1);
  const environment: Environment = { now: () => ++now, random: systemEnvironment.random };
  const scratch = await laidOutFor(test);
  const settings = { ...defaults, ...scratch.settings, writerThreads: 1, readerThreads: 1 };
  const storage = await openStorage(settings, environment, pino({ level: 'silent' }));
  scratch.closeFirst(() => storage.close());
  return { directory: openDirectory(storage, environment), storage, settings, environment };
}

/** Companies 1 and 2; groups 1 and 2 of the first, 3 of the second. */
export async function scratch(test: TestContext) {
  const deps = await emptyDirectory(test);
  const { directory } = deps;
  await directory.companies.create({ name: 'One' });
  await directory.companies.create({ name: 'Two' });
  await directory.groups.create({ companyId: 1, name: 'Sales' });
  await directory.groups.create({ companyId: 1, name: 'Support' });
  await directory.groups.create({ companyId: 2, name: 'Sales' });
  return deps;
}

/** Expects the call to be refused with this code or fault, and a message that contains the text. */
export async function refused(call: Promise<unknown>, reason: ServiceError['reason'], text: string): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.reason, reason, error.message);
    assert.ok(error.message.includes(text), error.message);
    return true;
  });
}
