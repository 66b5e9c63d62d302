/** Refusals of `rowhouse move` on folders: wrong arguments, locations in use or with data; nothing is changed. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { makeStorage, type Scratch } from '../../lab/machine/scratch.ts';
import { defaults } from '../../src/config.ts';
import { openDirectory } from '../../src/directory/directory.ts';
import { systemEnvironment } from '../../src/environment.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openStorage } from '../../src/storage/open.ts';
import { moved, typeMove } from './house.ts';

async function folder(t: TestContext): Promise<Scratch> {
  const scratch = await makeStorage('sqlite', () => Promise.reject(new Error('Not needed.')));
  t.after(() => scratch.remove());
  return scratch;
}

/** Works on a storage location as the service does, and leaves it. */
async function onStorage<R>({ settings }: Scratch, work: (storage: Storage) => Promise<R>): Promise<R> {
  const storage = await openStorage({ ...defaults, ...settings }, systemEnvironment, pino({ level: 'silent' }));
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

/** Two companies with one application each, the first with two versions. */
async function furnish(scratch: Scratch): Promise<void> {
  await onStorage(scratch, async (storage) => {
    const { companies, groups, applications, versions } = openDirectory(storage, systemEnvironment);
    for (const name of ['One', 'Two']) {
      const { id: companyId } = await companies.create({ name });
      const group = await groups.create({ companyId, name: 'Staff' });
      await applications.create({ companyId, appId: 'crm', name: 'CRM', groupIds: [group.id] });
      await versions.create({ companyId, appId: 'crm', version: '1.0.0' });
      if (companyId === 1) await versions.create({ companyId, appId: 'crm', version: '2.0.0' });
    }
  });
}

const dataOf = ({ folder: path }: Scratch) => join(path, 'data');

test('wrong words are explained, and show no password', async (t) => {
  const place = (await folder(t)).settings.storage;
  const other = 'sqlite:./elsewhere';
  for (const [words, error] of [
    [['--to', place], '--from is missing: The source'],
    [['--from', 'mysql://root:hidden@x/y', '--to', place], '--from: expected "sqlite:<folder>"'],
    [['--from', 'sqlite:', '--to', place], '--from: expected "sqlite:<folder>", got "sqlite:" without a folder'],
    [['--from', place, '--to', place], '--from and --to are the same storage location.'],
    [['--from', place, '--to', other, '--version', '1.0.0'], '--version needs --app.'],
    [['--from', place, '--to', other, '--app', 'crm'], '--app needs one --company.'],
    [
      ['--from', place, '--to', other, '--app', 'crm', '--company', '1', '--company', '2'],
      '--app needs one --company.',
    ],
    [['--from', place, '--to', other, '--company', 'x'], '--company: expected a whole number'],
  ] as const) {
    const ended = await typeMove(...words);
    assert.deepEqual([ended.status, ended.out], [2, '']);
    assert.ok(ended.error.includes(error), ended.error);
    assert.ok(!ended.error.includes('hidden'));
  }
});

test('without data nothing is created', async (t) => {
  const [from, to] = [await folder(t), await folder(t)];
  const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage);
  assert.equal(ended.status, 1);
  assert.match(ended.error, /There are no data in /);
  assert.ok(!existsSync(dataOf(from)) && !existsSync(dataOf(to)));
});

test('a source or target in use by a server is refused', async (t) => {
  const [from, to] = [await folder(t), await folder(t)];
  await furnish(from);
  for (const [used, error] of [
    [from, /Another Rowhouse server is using this data folder/],
    [to, /is not empty/],
  ] as const) {
    await onStorage(used, async (storage) => {
      await storage.check();
      const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage);
      assert.equal(ended.status, 1);
      assert.match(ended.error, error);
    });
  }
});

test('a folder that is not empty is refused, except for a key put there in advance', async (t) => {
  const [from, taken, keyed] = [await folder(t), await folder(t), await folder(t)];
  await furnish(from);
  await furnish(taken);
  const before = readFileSync(join(dataOf(taken), 'directory.db'));
  const ended = await typeMove('--from', from.settings.storage, '--to', taken.settings.storage);
  assert.equal(ended.status, 1);
  assert.match(ended.error, /is not empty: it has .*overwrites nothing/);
  assert.deepEqual(readFileSync(join(dataOf(taken), 'directory.db')), before);

  mkdirSync(dataOf(keyed), { recursive: true });
  writeFileSync(join(dataOf(keyed), 'secret.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
  await moved(from, keyed);
  const again = await typeMove('--from', from.settings.storage, '--to', keyed.settings.storage);
  assert.match(again.error, /is not empty/);
});

test('a company, an application or a version is moved alone, with its people, and more can follow', async (t) => {
  const from = await folder(t);
  await furnish(from);
  const whole = await moved(from, await folder(t));
  const spaces = ({ tables }: typeof whole) => [...new Set(tables.map(({ room }) => room))].slice(2);
  assert.deepEqual(spaces(whole), [1, 2, 3]);

  const second = await folder(t);
  assert.deepEqual(spaces(await moved(from, second, '--company', '2')), [3]);
  await onStorage(second, async (storage) => {
    const directory = openDirectory(storage, systemEnvironment);
    assert.deepEqual(
      (await directory.companies.list()).map(({ id, name }) => [id, name]),
      [[2, 'Two']],
    );
    assert.deepEqual(
      (await directory.groups.list(2)).map(({ id }) => id),
      [2],
    );
    assert.equal((await directory.roles.list(2)).length, 6);
    assert.equal((await directory.companies.create({ name: 'Three' })).id, 3, 'Ids are not used again.');
    assert.equal((await directory.versions.create({ companyId: 2, appId: 'crm', version: '3' })).spaceId, 4);
  });
  const one = await folder(t);
  const version = await moved(from, one, '--company', '1', '--app', 'crm', '--version', '2_0_0');
  assert.deepEqual(spaces(version), [2]);
  assert.deepEqual(
    version.tables.filter(({ rows }) => rows > 0).map(({ table, rows }) => [table, rows]),
    [
      ['company', 1],
      ['user_group', 1],
      ['role', 6],
      ['application', 1],
      ['data_space', 1],
      ['app_version', 1],
      ['app_group', 1],
    ],
  );
  for (const [words, error] of [
    [['--company', '7'], 'The source has no company 7.'],
    [['--company', '1', '--app', 'erp'], 'Company 1 of the source has no application "erp".'],
    [['--company', '1', '--app', 'crm', '--version', '9'], 'Application "crm" of the source has no version "9".'],
  ] as const) {
    const to = await folder(t);
    const ended = await typeMove('--from', from.settings.storage, '--to', to.settings.storage, ...words);
    assert.deepEqual([ended.status, ended.error], [1, `rowhouse: ${error}`]);
  }
});
