/** Sign-in with account and password over HTTP, as existing clients send it: fields, codes, and the answer. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setUserPassword } from '../../src/administration/user-passwords.ts';
import { assertEnvelope } from '../harness/cases.ts';
import type { Answer } from '../harness/client.ts';
import { anonymousToken } from '../harness/sign-in.ts';
import { app, startWorld, type World } from '../harness/world.ts';

const password = 'the password of bob, for tests';
const device = 'a-device-that-nobody-registered';
let world: World;
let token: string;
before(async () => {
  world = await startWorld({ people: [], settings: { tokenHeaders: ['branded-token'] } });
  const { directory, administration } = world.server;
  const bob = await directory.users.byAccount(1, 'bob');
  await setUserPassword(administration, { kind: 'operator' }, { companyId: 1, userId: bob?.id ?? 0, password });
  world.secrets.push({ text: password, what: 'a password', known: [] });
  token = await anonymousToken(world, device);
});
after(() => world.close());

function body(changes: object = {}) {
  const { appId, appVersion } = app;
  const fields = { username: 'bob', password, appId, deviceUDID: device, isPush: false, appVersion, companyId: 1 };
  return { ...fields, ...changes };
}

const signIn = (changes: object = {}, given = token, place = world.prefix): Promise<Answer> =>
  world.call('POST', `${place}/auth/login`, { body: body(changes), headers: { 'branded-token': given } });

async function refuses(code: number, status: number, answering: Promise<Answer>): Promise<void> {
  const answer = await answering;
  assertEnvelope(answer, code);
  assert.equal(answer.status, status, answer.text);
  assert.ok(!answer.text.includes(password));
}

test('an application takes no passwords unless enabled', async () => {
  await refuses(119, 403, signIn());
  await refuses(119, 403, signIn({ password: 'wrong' }));
  await world.server.directory.applications.update(1, app.appId, { localAccounts: true });
});

test('the answer is that of Login, and its token works', async () => {
  const answer = await signIn({ companyId: '1', isPush: 'false', appVersion: app.appVersion.replaceAll('.', '_') });
  assertEnvelope(answer, 0);
  const { authInfo, authInfor } = answer.json as Record<string, { userTokens: string; userInfo: { account: string } }>;
  assert.deepEqual(authInfo, authInfor);
  assert.equal(authInfo?.userInfo.account, 'bob');
  assert.deepEqual(Object.keys(authInfo ?? {}).sort(), [
    'groupsAndRoles',
    'userId',
    'userInfo',
    'userTokens',
    'validTime',
  ]);
  const call = { token: authInfo?.userTokens };
  assertEnvelope(await world.call('GET', `${world.prefix}/roles`, call), 0);
  assertEnvelope(await world.call('POST', `${world.prefix}/auth/logout`, { ...call, body: {} }), 0);
  assertEnvelope(await world.call('GET', `${world.prefix}/roles`, call), 121);
});

test('errors are answered in the order of the checks', async () => {
  for (const field of ['username', 'password', 'appId', 'deviceUDID', 'appVersion', 'companyId']) {
    await refuses(198, 400, signIn({ [field]: undefined }, 'no-such-token'));
  }
  await refuses(198, 400, signIn({ password: { of: password } }));
  await refuses(121, 401, signIn({ companyId: 2 }, 'no-such-token'));
  await refuses(121, 401, world.call('POST', `${world.prefix}/auth/login`, { body: body() }));
  await refuses(104, 401, signIn({ companyId: 2, deviceUDID: 'another' }));
  await refuses(104, 401, signIn({}, token, world.foreignPrefix));
  await refuses(160, 401, signIn({ deviceUDID: 'another', password: 'wrong' }));
  await refuses(111, 401, signIn({ password: 'wrong' }));
  await refuses(111, 401, signIn({ username: 'nobody' }));
  await refuses(111, 401, signIn({ username: 'alice' }));
  await world.server.directory.versions.update(1, app.appId, app.appVersion, { disabled: true });
  await refuses(106, 404, signIn({ deviceUDID: 'another' }));
  await world.server.directory.versions.update(1, app.appId, app.appVersion, { disabled: false });
});

test('a disabled account is refused with the right password', async () => {
  const bob = await world.server.directory.users.byAccount(1, 'bob');
  await world.server.directory.users.update(1, bob?.id ?? 0, { disabled: true });
  await refuses(119, 403, signIn());
  await refuses(111, 401, signIn({ password: 'wrong' }));
});
