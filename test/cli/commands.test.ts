/** The commands as typed, on a storage of their own: answers, refusals, exit statuses. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { run } from '../../src/cli/run.ts';
import { scratchOf } from '../engines/scratch.ts';

interface Ended {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

/** Runs command lines on one storage, one after the other. */
async function commandLine(t: TestContext, more: Record<string, string> = {}) {
  const { folder, settings, ...scratch } = await scratchOf(t);
  const key = { ROWHOUSE_SECRET_KEY: 'c1'.repeat(32) };
  const variables = {
    ...scratch.variables,
    ...key,
    ROWHOUSE_READER_THREADS: '1',
    ROWHOUSE_WRITER_THREADS: '1',
    ...more,
  };
  const type = async (line: string, further: Record<string, string> = {}): Promise<Ended> => {
    const out: string[] = [];
    const error: string[] = [];
    const status = await run(words(line), {
      variables: { ...variables, ...further },
      isTerminal: false,
      out: (text) => void out.push(text),
      error: (text) => void error.push(text),
    });
    return { status, out: out.join('\n'), error: error.join('\n') };
  };
  const done = async (line: string, further?: Record<string, string>): Promise<string> => {
    const { status, out, error } = await type(line, further);
    assert.deepEqual([status, error], [0, ''], line);
    return out;
  };
  const json = async (line: string) => JSON.parse(await done(`${line} --json`));
  return { folder, settings, contents: scratch.contents, type, done, json };
}

/** Splits at spaces, except those in double quotes. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) => word.replaceAll('"', ''));
}

test('a company is set up from scratch until a client can sign in', async (t) => {
  const { type, done, json, folder } = await commandLine(t);
  assert.equal(await done('company add --name "Acme Ltd"'), 'Company 1 "Acme Ltd" was added.');
  assert.equal(await done('group add --company 1 --name Sales'), 'Group 1 "Sales" was added to company 1.');
  const app = await json('app add --company 1 --app crm --group Sales');
  assert.match(app.appKey, /^[0-9a-f]{64}$/);
  assert.equal('appKeyHash' in app, false);
  assert.equal(
    await done('version add --company 1 --app crm --version 1.0.0 --development'),
    'Version 1.0.0 was added to crm, with data space 1.',
  );
  const shared = await json('version add --company 1 --app crm --version 1.1.0 --share-with 1_0_0');
  assert.deepEqual([shared.spaceId, shared.sharedSpace], [1, true]);
  assert.equal((await json('version add --company 1 --app crm --version 2.0.0 --copy-of 1.0.0')).spaceId, 2);
  await done('user add --company 1 --account ann --email Ann@example.com --first-name Ann --group Sales --role User');
  assert.match(
    (await type('role add --company 1 --name Auditor')).error,
    /Give the permissions of the role with --permission/,
  );
  assert.match(
    (await type('role add --company 1 --name Auditor --permission crm')).error,
    /expected an application, a table.* got "crm"/,
  );
  assert.equal(
    await done('role add --company 1 --name Auditor --permission crm/*:read --permission crm/Note:READ,add'),
    'Role 100 "Auditor" was added to company 1.',
  );
  assert.equal(
    await done('role show --company 1 --role Auditor'),
    [
      'role         100',
      'name         Auditor',
      'company      1',
      'description  -',
      'grants       its permissions',
      'permission   crm/*:read',
      'permission   crm/Note:read,add',
    ].join('\n'),
  );
  await done('role update --company 1 --role Auditor --no-permissions');
  assert.match(await done('role show --company 1 --role Auditor'), /grants +nothing$/);
  assert.match(await done('role list --company 1'), /^5 +User +- +everything \(unrestricted\)/m);
  await done('user join --company 1 --user ann --group 1 --role Auditor');
  assert.equal(
    await done('user show --company 1 --user 1'),
    [
      'user      1',
      'account   ann',
      'e-mail    ann@example.com',
      'name      Ann',
      'disabled  no',
      'member    group 1 "Sales" as User (5)',
      'member    group 1 "Sales" as Auditor (100)',
    ].join('\n'),
  );
  const secretFile = join(folder, 'secret.txt');
  writeFileSync(secretFile, 'from a file\n');
  const client = 'client add --company 1 --app crm --provider idp --issuer https://idp.example.com --client-id c1';
  const added = await type(`${client} --secret-file ${secretFile} --redirect-uri https://crm.example.com/signed-in`);
  assert.equal(added.out, 'Client c1 of provider idp was added, with its secret.');
  const second = 'client add --company 1 --app crm --provider idp --client-id c2 --redirect-uri https://x.example.com/';
  await done(second, { ROWHOUSE_CLIENT_SECRET: 'from the environment' });
  const [{ created: _, ...listed }] = await json('client list --company 1 --app crm');
  assert.deepEqual(listed, {
    providerName: 'idp',
    issuer: 'https://idp.example.com',
    scopes: 'openid email',
    claimMapping: { claims: [], values: {}, defaultRole: 5, keepInStep: true, names: {} },
    accountPolicy: null,
    clientId: 'c1',
    redirectUri: 'https://crm.example.com/signed-in',
    hasSecret: true,
    revision: 1,
  });
  const shown = await json('app show --company 1 --app crm');
  assert.deepEqual([shown.groupIds, shown.versions], [[1], ['1.0.0', '1.1.0', '2.0.0']]);
});

test('a client secret is stored sealed', async (t) => {
  const { type, done, json, contents } = await commandLine(t);
  await done('company add --name Acme');
  await done('app add --company 1 --app crm');
  const client = 'client add --company 1 --app crm --provider idp --issuer https://idp.example.com --client-id c1';
  await type(`${client} --redirect-uri https://crm.example.com/`, { ROWHOUSE_CLIENT_SECRET: 'top secret' });
  assert.equal((await json('client list --company 1 --app crm'))[0].hasSecret, true);
  const stored = await contents();
  assert.equal(stored.includes('https://crm.example.com/'), true);
  assert.equal(stored.includes('top secret'), false);
});

test('a client and its provider are added and changed together, or not at all', async (t) => {
  const { type, done, json, folder } = await commandLine(t);
  await done('company add --name Acme');
  await done('app add --company 1 --app crm');
  const client = (what: string, id: string) =>
    `client ${what} --company 1 --app crm --provider idp --client-id ${id} --redirect-uri`;
  const issuer = '--issuer https://idp.example.com';
  assert.match((await type(`${client('add', 'c1')} app.example:/`)).error, /issuer/);
  assert.match((await type(`${client('add', 'c1')} nowhere ${issuer}`)).error, /^rowhouse: redirectUri: /);
  await done(`${client('add', 'c1')} app.example:/ ${issuer}/first`);
  for (const [flag, message] of [
    [issuer, /issuer: provider "idp" of this application has the issuer "https:\/\/idp.example.com\/first"\.$/],
    ['--scopes openid', /has the scopes "openid email"\.$/],
    ['--accounts create', /change the provider first\.$/],
  ] as const) {
    assert.match((await type(`${client('add', 'c2')} app.example:/ ${flag}`)).error, message);
  }
  const mapping = join(folder, 'mapping.json');
  writeFileSync(mapping, '{claims');
  const update = client('update', 'c1');
  assert.match((await type(`${update} b.example:/ --claim-mapping ${mapping}`)).error, /expected a JSON object/);
  assert.match((await type(`${update} b.example:/ --scopes email`)).error, /^rowhouse: scopes: /);
  const [only, ...more] = await json('client list --company 1 --app crm');
  assert.deepEqual(
    [only.redirectUri, only.issuer, only.revision],
    ['app.example:/', 'https://idp.example.com/first', 1],
  );
  assert.deepEqual(more, []);
});

test('lists are aligned tables for people and arrays for programs', async (t) => {
  const { done, json } = await commandLine(t);
  await done('company add --name Acme --company 7');
  assert.equal(await done('user list --company 7'), 'Company 7 has no users.');
  assert.deepEqual(await json('user list --company 7'), []);
  await done('user add --company 7 --account ann');
  await done('user add --company 7 --account bartholomew --email b@example.com');
  assert.equal(
    await done('user list --company 7'),
    [
      'id  account      e-mail         first name  last name  disabled',
      '1   ann          -              -           -          no',
      '2   bartholomew  b@example.com  -           -          no',
    ].join('\n'),
  );
  assert.deepEqual(
    (await json('user list --company 7')).map(({ account }: { account: string }) => account),
    ['ann', 'bartholomew'],
  );
});

test('things are changed, disabled and enabled', async (t) => {
  const { type, done, json } = await commandLine(t);
  await done('company add --name Acme');
  await done('group add --company 1 --name Sales');
  await done('app add --company 1 --app crm --group 1');
  await done('version add --company 1 --app crm --version 1.0.0');
  await done('user add --company 1 --account ann --email ann@example.com');
  assert.equal(await done('company update --company 1 --name Acme2'), 'Company 1 is called "Acme2" now.');
  assert.equal(await done('group update --company 1 --group Sales --name Sale'), 'Group 1 "Sale" was changed.');
  await done('app update --company 1 --app crm --accounts create --default-group Sale --default-role User');
  assert.equal((await json('app show --company 1 --app crm')).defaultRoleId, 5);
  await done('version update --company 1 --app crm --version 1_0_0 --log-level error --development');
  const [version] = await json('version list --company 1');
  assert.deepEqual([version.logLevel, version.development], ['ERROR', true]);
  await done('version update --company 1 --app crm --version 1.0.0 --released');
  assert.equal((await json('version list --company 1'))[0].development, false);
  const strict = async () => (await json('version list --company 1'))[0].strictHandling;
  assert.equal(await strict(), false);
  await done('version update --company 1 --app crm --version 1.0.0 --strict-handling');
  assert.equal(await strict(), true);
  await done('version update --company 1 --app crm --version 1.0.0 --log-level error');
  assert.equal(await strict(), true);
  await done('version update --company 1 --app crm --version 1.0.0 --lenient-handling');
  assert.equal(await strict(), false);
  const both = 'version update --company 1 --app crm --version 1.0.0 --strict-handling --lenient-handling';
  assert.match((await type(both)).error, /not both/);
  assert.equal((await json('version add --company 1 --app crm --version 9 --strict-handling')).strictHandling, true);
  assert.equal((await json('user update --company 1 --user ann --email=')).email, null);
  for (const what of ['company --company 1', 'app --company 1 --app crm', 'user --company 1 --user ann']) {
    const [command, ...flags] = what.split(' ');
    assert.match(await done(`${command} disable ${flags.join(' ')}`), /is disabled now\.$/);
    assert.match(await done(`${command} enable ${flags.join(' ')}`), /is enabled now\.$/);
  }
});

test('a user is relinked on the command line if there is an identity at the issuer', async (t) => {
  const { type, done } = await commandLine(t);
  await done('company add --name Acme');
  await done('user add --company 1 --account ann --email ann@example.com');
  assert.equal(await done('user identities --company 1 --user ann'), 'There are no identities.');
  const { error } = await type('user relink --company 1 --user ann --issuer https://login.example.com');
  assert.match(error, /User 1 has no identity at "https:\/\/login\.example\.com"/);
  assert.match((await type('administrator relink --account nobody')).error, /nobody/);
});

test('removed objects are gone, and objects in use stay', async (t) => {
  const { type, done, json } = await commandLine(t);
  await done('company add --name Acme');
  await done('group add --company 1 --name Sales --description Sells');
  await done('role add --company 1 --name Auditor --no-permissions');
  await done('user add --company 1 --account ann --group Sales --role Auditor');
  assert.match((await type('role delete --company 1 --role Auditor')).error, /1 users hold it/);
  assert.equal(await done('user delete --company 1 --user ann'), 'User 1 "ann" was removed.');
  assert.equal(await done('role delete --company 1 --role Auditor'), 'Role 100 "Auditor" was removed.');
  assert.equal(await done('group delete --company 1 --group Sales'), 'Group 1 "Sales" was removed.');
  for (const what of ['user', 'group']) assert.deepEqual(await json(`${what} list --company 1`), []);
});

test('roles in groups are given and taken one by one, or all of a group, and the last Super Admin stays', async (t) => {
  const { type, done, json } = await commandLine(t);
  await done('company add --name Acme');
  for (const name of ['Sales', 'Help']) await done(`group add --company 1 --name ${name}`);
  await done('user add --company 1 --account ann --group Help --role User');
  const held = async () =>
    (await json('user show --company 1 --user ann')).memberships.map(
      (one: { groupName: string; roleName: string }) => `${one.groupName} ${one.roleName}`,
    );
  for (const role of ['"Super Admin"', 'User', '"Super Admin"']) {
    await done(`user join --company 1 --user ann --group Sales --role ${role}`);
  }
  assert.deepEqual(await held(), ['Help User', 'Sales Super Admin', 'Sales User'], 'one that is held keeps its place');
  const leave = 'user leave --company 1 --user ann --group Sales';
  assert.match((await type(leave)).error, /company 1 would have no Super Admin left/);
  await done(`${leave} --role User`);
  assert.match((await type(`${leave} --role User`)).error, /User 1 does not have role 5 in group 1\.$/);
  await done('user add --company 1 --account ben --group Help --role "Super Admin"');
  await done(leave);
  assert.match((await type(leave)).error, /User 1 does not have group 1\.$/);
  assert.deepEqual(await held(), ['Help User']);
});

test('every act has its entry in the audit trail, and a refused one has none', async (t) => {
  const { type, done, json } = await commandLine(t);
  const acts = [
    ['company add --name Acme', 'company.create'],
    ['company update --company 1 --name Acme2', 'company.update'],
    ['group add --company 1 --name Sales', 'group.create'],
    ['group update --company 1 --group Sales --name Sale', 'group.update'],
    ['role add --company 1 --name Auditor --no-permissions', 'role.create'],
    ['role update --company 1 --role Auditor --name Viewer', 'role.update'],
    ['app add --company 1 --app crm', 'application.create'],
    ['app update --company 1 --app crm --name CRM', 'application.update'],
    ['app key --company 1 --app crm', 'application.key'],
    ['app allow --company 1 --app crm --group Sale', 'application.update'],
    ['app deny --company 1 --app crm --group Sale', 'application.update'],
    ['app disable --company 1 --app crm', 'application.update'],
    ['version add --company 1 --app crm --version 1.0.0', 'version.create'],
    ['version update --company 1 --app crm --version 1.0.0 --log-level error', 'version.update'],
    ['user add --company 1 --account ann', 'user.create'],
    ['user update --company 1 --user ann --first-name Ann', 'user.update'],
    ['user join --company 1 --user ann --group Sale --role User', 'user.update'],
    ['user leave --company 1 --user ann --group Sale', 'user.update'],
    ['user disable --company 1 --user ann', 'user.update'],
    ['user delete --company 1 --user ann', 'user.delete'],
    ['role delete --company 1 --role Viewer', 'role.delete'],
    ['group delete --company 1 --group Sale', 'group.delete'],
  ] as const;
  for (const [command] of acts) await done(command);
  await type('group add --company 9 --name x');
  await type('user leave --company 1 --user nobody --group Sale');
  const { results, count } = await json('audit list --limit 100');
  assert.equal(count, acts.length);
  assert.deepEqual(
    results.map(({ action }: { action: string }) => action).reverse(),
    acts.map(([, action]) => action),
  );
});

test('a refusal gives its reason on one line, and status 1', async (t) => {
  const { type, done } = await commandLine(t);
  const nothing = await type('company list');
  assert.equal(nothing.status, 1);
  assert.match(nothing.error, /^rowhouse: There are no data in .*"rowhouse serve" or "rowhouse company add"/);
  await done('company add --name Acme');
  for (const [line, message] of [
    ['company add --name Again --company 1', 'id: there is already a company 1.'],
    ['group add --company 9 --name x', 'There is no company 9.'],
    ['user show --company 1 --user nobody', 'There is no user "nobody" in company 1.'],
    ['app show --company 1 --app nothing', 'There is no application "nothing" in company 1.'],
    ['version add --company 1 --app nothing --version 1', 'There is no application "nothing" in company 1.'],
  ] as const) {
    assert.deepEqual(await type(line), { status: 1, out: '', error: `rowhouse: ${message}` }, line);
  }
});

test('wrong use suggests what was meant, and ends with 2', async (t) => {
  const { type } = await commandLine(t);
  for (const [line, message] of [
    ['compani list', 'There is no command "compani". Did you mean company? See "rowhouse --help".'],
    ['company lst', 'There is no action "lst". Did you mean list? See "rowhouse company --help".'],
    ['company add', '--name is missing: Its display name. See "rowhouse company add --help".'],
    ['company list --port 1', 'There is no flag "--port".'],
    ['user add --company 1 --account a --group 1', 'Give --group and --role together.'],
    ['serve --prot 1', 'There is no flag "--prot". Did you mean --port?'],
    ['serve --secret-key x', 'There is no flag "--secret-key".'],
    ['serve --port eighty', '--port: expected a whole number from 0 to 65535, got "eighty".'],
    ['serve --demo --host 0.0.0.0', '--demo opens accounts that anybody may use'],
    ['company list --config /nowhere.json', "The settings file /nowhere.json can't be read (ENOENT)."],
  ] as const) {
    const { status, out, error } = await type(line);
    assert.deepEqual([status, out], [2, ''], line);
    assert.ok(error.startsWith(`rowhouse: ${message}`), error);
    assert.equal(error.includes('\n'), false);
  }
  const variable = await type('company list', { ROWHOUSE_PROT: '1' });
  assert.equal(variable.status, 2);
  assert.match(variable.error, /ROWHOUSE_PROT: there is no such setting\. Did you mean ROWHOUSE_PORT\?/);
});

test('a settings file is read, and a broken one refused without showing it', async (t) => {
  const { type, folder, settings, done } = await commandLine(t, { ROWHOUSE_STORAGE: '' });
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify({ storage: settings.storage }));
  await done(`company add --name Acme --config ${file}`);
  assert.match(await done('company list', { ROWHOUSE_CONFIG: file }), /Acme/);
  writeFileSync(file, '{"secretKey": "hush');
  const { status, error } = await type(`company list --config ${file}`);
  assert.equal(status, 2);
  assert.equal(error.includes('hush'), false);
  assert.match(error, /is not JSON\./);
});

test('help and version', async (t) => {
  const { type, done } = await commandLine(t);
  assert.match(await done('--help'), /Usage: rowhouse <command> <action>/);
  assert.match(await done('company --help'), /Usage: rowhouse company <action>/);
  assert.match(await done('client add --help'), /--redirect-uri <address> .* Required\./);
  assert.match(await done('serve --help --all'), /--query-time-ms +How long a query may run\. \(10000, milliseconds\)/);
  assert.match(await done('--version'), /^\d+\.\d+\.\d+$/);
  assert.equal((await type('')).status, 2);
  assert.equal((await type('company')).status, 2);
});
