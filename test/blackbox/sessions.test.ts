/** A user's sessions over HTTP: listed, ended one by one and all at once, with their entries in the audit trail. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertEnvelope } from '../harness/cases.ts';
import { app, type Person, sha256, startWorld, type World } from '../harness/world.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice', 'bob', 'dave'] });
});
after(() => world.close());

interface SessionResponse {
  readonly id: string;
  readonly current: boolean;
  readonly deviceUDID: string;
}

async function listed({ token }: Person, prefix = world.prefix): Promise<SessionResponse[]> {
  const answer = await world.call('GET', `${prefix}/auth/sessions`, { token });
  assertEnvelope(answer, 0);
  return (answer.json as { results: SessionResponse[] }).results;
}

const codeOf = async (method: string, path: string, token: string) =>
  ((await world.call(method, `${world.prefix}/${path}`, { token })).json as { errCode: number }).errCode;

test('are listed with all that their user may know, without tokens', async () => {
  const phone = await world.signIn('alice', 'phone');
  const answer = await world.call('GET', `${world.prefix}/auth/sessions`, { token: phone.token });
  assertEnvelope(answer, 0);
  const { results } = answer.json as { results: Record<string, unknown>[] };
  assert.deepEqual(
    results.map(({ deviceUDID, current }) => [deviceUDID, current]),
    [
      ['phone', true],
      ['device-of-alice', false],
    ],
  );
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/;
  const { id, createTime, lastUseTime, endTime, ...rest } = results[0] as Record<string, string>;
  for (const shown of [createTime, lastUseTime, endTime]) assert.match(String(shown), time);
  assert.match(String(id), /^[0-9a-f]{24}$/);
  assert.deepEqual(rest, {
    current: true,
    appId: app.appId,
    appVersion: app.appVersion,
    deviceUDID: 'phone',
    deviceName: 'demo sign-in',
    osType: 'node',
    isPush: false,
  });
  for (const secret of [phone.token, sha256(phone.token)]) assert.ok(!answer.text.includes(secret));
});

test('can be ended by their user, and by nobody else', async () => {
  const [one, other] = [await world.signIn('bob', 'one'), await world.signIn('bob', 'other')];
  const { id } = (await listed(one)).find(({ deviceUDID }) => deviceUDID === 'other')!;
  for (const stranger of [world.token('alice'), world.token('dave')]) {
    assert.notEqual(await codeOf('DELETE', `auth/sessions/${id}`, stranger), 0);
  }
  assert.equal(await codeOf('DELETE', `auth/sessions/${id}`, world.token('alice')), 130);
  assert.equal(await codeOf('GET', 'roles', other.token), 0);
  const answer = await world.call('DELETE', `${world.prefix}/auth/sessions/${id}`, { token: one.token });
  assertEnvelope(answer, 0);
  assert.equal(await codeOf('GET', 'roles', other.token), 121);
  assert.equal(await codeOf('GET', 'roles', one.token), 0);
  const missing = await world.call('DELETE', `${world.prefix}/auth/sessions/${id}`, { token: one.token });
  assertEnvelope(missing, 130);
  assert.equal(missing.status, 404);
  assert.equal(await codeOf('GET', 'auth/sessions', 'f'.repeat(64)), 121);
});

test('are all ended by logging out everywhere, this one too; those of others stay', async () => {
  const [one, other] = [await world.signIn('bob', 'one'), await world.signIn('bob', 'other')];
  const renewed = await world.call('POST', `${world.prefix}/auth/refresh`, { token: other.token });
  const { userTokens } = (renewed.json as { authInfo: { userTokens: string } }).authInfo;
  world.secrets.push({ text: userTokens, what: 'a renewed token', known: [] });
  const before = (await listed(one)).length;
  const answer = await world.call('POST', `${world.prefix}/auth/logout/everywhere`, { token: one.token });
  assertEnvelope(answer, 0);
  assert.equal((answer.json as { count: number }).count, before);
  for (const token of [one.token, other.token, userTokens, world.token('bob')]) {
    assert.equal(await codeOf('GET', 'roles', token), 121);
  }
  assert.equal(await codeOf('GET', 'roles', world.token('alice')), 0);
  assert.equal((await listed(world.person('dave'), world.foreignPrefix)).length, 1);
});

test('leave entries in the audit trail, with the address', async () => {
  const { directory: db } = world.server.storage;
  const rows = await db.read(
    db.build.selectFrom('audit').selectAll().where('actor_name', 'like', 'bob%').orderBy('id'),
  );
  assert.deepEqual(
    rows.map(({ action, outcome, address, company_id }) => [action, outcome, address, company_id]),
    [
      ...Array.from({ length: 3 }, () => ['session.start', 'done', '127.0.0.1', 1]),
      ['session.revoke', 'done', '127.0.0.1', 1],
      ...Array.from({ length: 2 }, () => ['session.start', 'done', '127.0.0.1', 1]),
      ['session.end', 'done', '127.0.0.1', 1],
    ],
  );
});
