/**
 * Sessions of the client while users change, and the service answers late or not at all; service and clock are
 * simulated.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { NetworkError, SignInRequired } from '../../packages/client/src/errors.ts';
import { memoryStorage } from '../../packages/client/src/storage.ts';
import { createSession } from '../../packages/client/src/user-session.ts';
import { later } from './later.ts';

const place = { url: 'https://service.example', companyId: 1, appId: 'a', appVersion: '1.0.0', appKey: 'key' };
const done = { errCode: 0, status: 'OK', description: null };
const ended = () => Response.json({ errCode: 121, status: 'error', description: 'No such token.' }, { status: 401 });
const authInfoOf = (userId: number, userTokens: string) => {
  const userInfo = { account: `user ${userId}`, fistName: '', lastName: '' };
  return Response.json({ ...done, authInfo: { userId, userTokens, userInfo, groupsAndRoles: {} } });
};

type Answer = (path: string, token: string | undefined) => Response | Promise<Response>;

/** A session at a simulated service: users sign in under the names 1 and 2; `answer` handles the rest. */
function open({ refreshAfterMs = 86_400_000, wait = async (_: number) => {} } = {}) {
  const played = { answer: (() => assert.fail('not expected')) as Answer, paths: [] as string[] };
  const options = {
    ...{ ...place, wait, refreshAfterMs, random: () => 0, storage: memoryStorage() },
    async fetch(input: string | URL | Request, init: RequestInit = {}) {
      const path = String(input).replace(/.*1_0_0|\?.*/g, '');
      if (path === '/anonymousTokens') return Response.json({ ...done, results: 'anonymous' });
      if (path === '/auth/login') {
        const { username } = JSON.parse(String(init.body));
        return authInfoOf(Number(username), `token ${username}`);
      }
      played.paths.push(path);
      const answer = played.answer(path, (init.headers as Record<string, string>)['service-token']);
      const given = new Promise<never>((_, reject) =>
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
      return await Promise.race([answer, given]);
    },
  };
  const session = createSession(options);
  return { session, played, client: createClient({ ...options, session }) };
}

const offline: Answer = () => Promise.reject(new TypeError('fetch failed'));

test('a request of one user is never sent as another one who signed in meanwhile', async () => {
  const { session, played, client } = open({ wait: async () => void (await session.signInWithPassword('2', '')) });
  await session.signInWithPassword('1', '');
  const tokens: unknown[] = [];
  played.answer = (_, token) => {
    tokens.push(token);
    const busy = { ...done, errCode: 212 };
    return tokens.length === 1 ? Response.json(busy, { status: 503, headers: { 'retry-after': '1' } }) : ended();
  };
  await assert.rejects(client.request('getLogLevel', {}), SignInRequired);
  assert.deepEqual(tokens, ['token 1', 'token 1']);
  assert.deepEqual(await session.current(), { userId: '2', token: 'token 2' });
  await session.switchTo('1');
  assert.deepEqual(await session.current(), { userId: '1', token: null }, 'the token that was refused is noted');
});

test('a refresh under way undoes neither a sign-out nor a switch', async () => {
  for (const then of ['sign-out', 'switch'] as const) {
    const { session, played } = open();
    await session.signInWithPassword('2', '');
    await session.signInWithPassword('1', '');
    const asked = later();
    const answer = later<Response>();
    played.answer = (path) => {
      if (path !== '/auth/refresh') return Response.json(done);
      asked.resolve();
      return answer.promise;
    };
    const refreshed = session.refresh().catch((error: unknown) => error);
    await asked.promise;
    if (then === 'sign-out') await session.signOut();
    else await session.switchTo('2');
    answer.resolve(authInfoOf(1, 'token 1 anew'));
    const result = await refreshed;
    if (then === 'sign-out') {
      assert.ok(result instanceof SignInRequired);
      assert.equal(await session.user(), null);
      await assert.rejects(session.switchTo('1'), SignInRequired);
    } else {
      assert.equal(result, 'token 1 anew');
      assert.deepEqual(await session.current(), { userId: '2', token: 'token 2' });
      await session.switchTo('1');
      assert.equal(await session.token(), 'token 1 anew');
    }
  }
});

test('a refresh begins its last attempt while the service still accepts the old token', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  const { session, played } = open({ wait: async (ms) => mock.timers.tick(ms) });
  await session.signInWithPassword('1', '');
  const begun: number[] = [];
  played.answer = () => {
    begun.push(Date.now() - 1_000_000);
    // The answer gets lost: nothing happens until the deadline of the attempt.
    queueMicrotask(() => queueMicrotask(() => mock.timers.tick(3_000)));
    return new Promise(() => {});
  };
  await assert.rejects(session.refresh(), NetworkError);
  assert.ok(begun.length > 1 && begun.every((ms) => ms < 9_000), String(begun));
});

test('after a failed refresh, the present token is used for a minute without another attempt', async ({ mock }) => {
  const { session, played } = open({ refreshAfterMs: 0 });
  await session.signInWithPassword('1', '');
  played.answer = offline;
  assert.deepEqual(await Promise.all([session.token(), session.token()]), ['token 1', 'token 1']);
  const { length } = played.paths;
  assert.equal(length, 5, 'one refresh of five attempts');
  await session.token();
  assert.equal(played.paths.length, length);
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_001 });
  await session.token();
  assert.equal(played.paths.length, 2 * length);
});

test('a token dated in the future is replaced, because the clock was set back', async ({ mock }) => {
  const { session, played } = open();
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0) });
  await session.signInWithPassword('1', '');
  assert.equal(await session.token(), 'token 1');
  mock.timers.reset();
  played.answer = () => authInfoOf(1, 'token 1 anew');
  assert.equal(await session.token(), 'token 1 anew');
});

test('a sign-out forgets the user before it calls the service', async () => {
  const { session, played } = open();
  await session.signInWithPassword('1', '');
  let user: unknown = 'not asked';
  played.answer = async (path, token) => {
    user = await session.user();
    return offline(path, token);
  };
  assert.deepEqual(await session.signOut(), { isEnded: false, providerAddress: null });
  assert.equal(user, null);
});
