/** The service's work for callers without a token: it reads little, and quotes no secret. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { valueAt } from '../harness/match.ts';
import { startWorld, type World } from '../harness/world.ts';

let world: World;
before(async () => {
  world = await startWorld({ people: [] });
});
after(() => world.close());

test('sign-in accepts bodies of at most 64 KiB', async () => {
  const login = (length: number) =>
    world.call('POST', `${world.prefix}/auth/oidc/idp/Login`, { raw: `{"appId":"${'x'.repeat(length)}"}` });
  const small = await login(60_000);
  assert.equal(valueAt(small.json, 'description'), 'companyId: expected a value, got none.');
  const large = await login(70_000);
  assert.equal(large.status, 400);
  assert.equal(valueAt(large.json, 'errCode'), 198);
  assert.equal(valueAt(large.json, 'description'), 'body: it is larger than 65536 bytes.');
});

test('the body of an unknown request is not checked', async () => {
  for (const raw of ['{bad', '{"a":12345678901234567890}']) {
    const answer = await world.call('POST', `${world.prefix}/nothing`, { raw });
    assert.equal(answer.status, 404);
    assert.equal(valueAt(answer.json, 'errCode'), 199);
  }
});

test('a malformed secret is not quoted', async () => {
  const secret = 'hush-hush';
  const queries = [
    ['anonymousTokens?deviceUDID=d', 'appKey'],
    ['auth/oidc/idp/Authenticate?clientId=c', 'authToken'],
  ] as const;
  for (const [query, field] of queries) {
    const answer = await world.call('GET', `${world.prefix}/${query}&${field}=${secret}&${field}=${secret}`);
    assert.equal(answer.status, 400);
    assert.equal(valueAt(answer.json, 'description'), `${field}: expected a string, got something else.`);
  }
  const sound = { companyId: 1, appId: 'a', appVersion: '1', authToken: 't', deviceUDID: 'd', isPush: 'true' };
  const login = { ...sound, clientId: 'c', authzCode: 'c', authnState: 's' };
  for (const field of ['authToken', 'authzCode']) {
    const body = { ...login, [field]: { value: secret } };
    const answer = await world.call('POST', `${world.prefix}/auth/oidc/idp/Login`, { body });
    assert.equal(valueAt(answer.json, 'errCode'), 198);
    assert.ok(!answer.text.includes(secret), answer.text);
  }
});
