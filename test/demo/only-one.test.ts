/** A second instance with --demo on the same data is refused, while the first one runs. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openSeal } from '../../src/auth/seal.ts';
import { startDemo } from '../../src/demo/start.ts';
import { emptyDirectory } from '../directory/scratch.ts';

test('only one identity provider serves the data at a time', async (t: TestContext) => {
  const deps = await emptyDirectory(t);
  const seal = openSeal(deps.settings, deps.environment);
  const settings = { ...deps.settings, port: 0 };
  const log = pino({ level: 'silent' });
  const start = () => startDemo({ ...deps, settings, seal, log, url: 'http://127.0.0.1:1' });
  const first = await start();
  t.after(() => first.close());
  await assert.rejects(start(), (error: Error) => {
    assert.match(error.message, /^demo: another instance with --demo serves this data/);
    return error.message.includes(first.issuer);
  });
  await first.close();
  const second = await start();
  // Another installation's provider on the port of an earlier one does not matter.
  const other = await emptyDirectory(t);
  const elsewhere = {
    ...other,
    settings: { ...other.settings, port: 0 },
    seal: openSeal(other.settings, other.environment),
  };
  const third = await startDemo({ ...elsewhere, log, url: 'http://127.0.0.1:1' });
  await elsewhere.directory.providers.update(1, 'sampleApp', 'idp', { issuer: second.issuer });
  const fourth = await startDemo({ ...elsewhere, log, url: 'http://127.0.0.1:1' });
  for (const demo of [second, third, fourth]) await demo.close();
});
