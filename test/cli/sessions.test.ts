/** `rowhouse session` and `rowhouse audit`, as typed. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { startSession } from '../../src/auth/user-tokens.ts';
import { run } from '../../src/cli/run.ts';
import { defaults } from '../../src/config.ts';
import { openDirectory } from '../../src/directory/directory.ts';
import { systemEnvironment as environment } from '../../src/environment.ts';
import { openStorage } from '../../src/storage/open.ts';
import { scratchOf } from '../engines/scratch.ts';

/** A company with two users, each signed in on their own device, one of them twice. */
async function commandLine(t: TestContext) {
  const scratch = await scratchOf(t);
  const settings = { ...defaults, ...scratch.settings, readerThreads: 1, writerThreads: 1 };
  const storage = await openStorage(settings, environment, pino({ level: 'silent' }));
  const directory = openDirectory(storage, environment);
  await directory.companies.create({ name: 'Acme' });
  await directory.applications.create({ companyId: 1, appId: 'crm' });
  for (const version of ['1.0.0', '2.0.0']) await directory.versions.create({ companyId: 1, appId: 'crm', version });
  const deps = { db: storage.directory, directory, settings, environment };
  const seats = [
    ['ann', '1.0.0'],
    ['ann', '2.0.0'],
    ['ben', '1.0.0'],
  ] as const;
  for (const [account, version] of seats) {
    const user =
      (await directory.users.byAccount(1, account)) ?? (await directory.users.create({ companyId: 1, account }));
    const place = { companyId: 1, appId: 'crm', version, deviceUdid: `phone of ${account}`, isPush: false };
    await startSession(deps, place, user, { address: '192.0.2.1', by: { provider: 'idp' } });
  }
  await storage.close();
  const variables = { ...scratch.variables, ROWHOUSE_READER_THREADS: '1', ROWHOUSE_WRITER_THREADS: '1' };
  const type = async (line: string) => {
    const [out, error]: [string[], string[]] = [[], []];
    const words = [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
    const end = { out: (text: string) => void out.push(text), error: (text: string) => void error.push(text) };
    const status = await run(words, { variables, isTerminal: false, ...end });
    return { status, out: out.join('\n'), error: error.join('\n') };
  };
  const done = async (line: string) => {
    const { status, out, error } = await type(line);
    assert.deepEqual([status, error], [0, ''], line);
    return out;
  };
  return { type, done, json: async (line: string) => JSON.parse(await done(`${line} --json`)) };
}

test('sessions are listed and ended by session, user, device, version and all at once', async (t) => {
  const { type, done, json } = await commandLine(t);
  const users = async (line = '') =>
    (await json(`session list --company 1 ${line}`)).results.map((one: { account: string }) => one.account);
  assert.deepEqual((await users()).sort(), ['ann', 'ann', 'ben']);
  assert.deepEqual(await users('--user ben'), ['ben']);
  assert.deepEqual(await users('--app crm --version 2_0_0'), ['ann']);
  assert.deepEqual(await users('--device "phone of ben"'), ['ben']);
  assert.match(await done('session list --company 1 --limit 1'), /^session +user +app .*\n[0-9a-f]{24} .*\n1 of 3\.$/);
  const [{ id }] = (await json('session list --company 1 --user ben')).results;
  assert.equal(await done(`session revoke --company 1 --session ${id}`), '1 session ended.');
  assert.match((await type(`session revoke --company 1 --session ${id}`)).error, /There is no session/);
  assert.deepEqual(await json('session revoke --company 1 --app crm --version 2.0.0'), { ended: 1 });
  assert.deepEqual(await users(), ['ann']);
  for (const line of ['session revoke --company 1', 'session revoke --company 1 --all --user ann']) {
    assert.equal((await type(line)).status, 2, line);
  }
  assert.deepEqual(await json('session revoke --company 1 --device "phone of ben"'), { ended: 0 });
  assert.equal(await done('session revoke --company 1 --all'), '1 session ended.');
  assert.equal(await done('session list --company 1'), 'Company 1 has no such sessions.');
  for (const wrong of ['session list --company 9', 'session revoke --company 1 --user nobody']) {
    assert.equal((await type(wrong)).status, 1, wrong);
  }
});

test('the audit trail is shown, filtered, and exported line by line', async (t) => {
  const { type, done, json } = await commandLine(t);
  await done('session revoke --company 1 --user ann');
  const { results, count } = await json('audit list');
  assert.equal(count, 4);
  const { id: _id, time, ...entry } = results[0];
  assert.match(time, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual(entry, {
    actorKind: 'operator',
    actorId: null,
    actorName: 'command line',
    companyId: 1,
    appId: null,
    address: null,
    action: 'session.revoke',
    target: 'sessions of user 1',
    outcome: 'done',
    detail: { companyId: 1, userId: 1 },
  });
  assert.match(await done('audit list --limit 1'), /command line .* session\.revoke .*\n1 of 4\.$/s);
  assert.equal((await json('audit list --actor ann --action session.start --company 1 --outcome done')).count, 2);
  assert.equal(await done('audit list --until 2020-01-01'), 'There are no such entries.');
  const lines = (await done('audit export --since 2020-01-01T00:00')).split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ action, actorName }) => `${action} ${actorName}`),
    ['session.start ann', 'session.start ann', 'session.start ben', 'session.revoke command line'],
  );
  assert.equal(await done('audit export --company 2'), '');
  assert.equal((await type('audit list --since yesterday')).status, 2);
});
