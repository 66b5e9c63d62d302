/** Sign-in and sessions of the client against a service and the demo's provider. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { SignInRefused, SignInRequired } from '../../packages/client/src/errors.ts';
import { memoryStorage, type TextStorage } from '../../packages/client/src/storage.ts';
import { createSession, type UserSession, type Visit } from '../../packages/client/src/user-session.ts';
import { endSession, givePassword, type Service, start, stop, visitProvider, type Who } from './service.ts';

let service: Service<never>;
const sessions: UserSession[] = [];
before(async () => {
  service = await start({ people: [] });
});
after(async () => {
  for (const session of sessions) session.close();
  await stop(service);
});

const request = () => ({ clientId: service.clientId });

interface Opening {
  readonly storage?: TextStorage;
  readonly companyId?: number;
  readonly refreshAfterMs?: number;
  /** Called with the address of every request. */
  readonly sent?: (address: string) => void | Promise<void>;
}

function open({ companyId = 1, sent, ...options }: Opening = {}): UserSession {
  const session = createSession({
    ...{ ...service.place, companyId, appKey: service.appKey },
    wait: async () => {},
    fetch: async (input, init) => {
      await sent?.(String(input));
      return fetch(input, init);
    },
    storage: memoryStorage(),
    ...options,
  });
  sessions.push(session);
  return session;
}

/** A user at the provider. */
const asUser =
  (who: Who): Visit =>
  (address) =>
    visitProvider(address, who);

/** Whether requests of the session are answered. */
async function isServed(session: UserSession, companyId = 1): Promise<boolean> {
  const client = createClient({ ...service.place, companyId, session });
  try {
    return (await client.transport.send('definitionInfo', {})).answer.errCode === 0;
  } catch (error) {
    if (error instanceof SignInRequired) return false;
    throw error;
  }
}

test('users of two companies are signed in at the same time, kept over a restart, and signed out', async () => {
  const storage = memoryStorage();
  const [alice, dave] = [open({ storage }), open({ storage, companyId: 2 })];
  assert.equal(await alice.user(), null);
  await assert.rejects(alice.token(), SignInRequired);
  const user = await alice.signIn(request(), asUser('alice'));
  await dave.signIn(request(), asUser('dave'));
  assert.deepEqual([user.account, user.firstName], ['alice', 'Alice']);

  const again = open({ storage });
  assert.deepEqual(await again.user(), user);
  assert.ok(await isServed(again));
  const { isEnded, providerAddress } = await again.signOut({ provider: request() });
  assert.equal(isEnded, true);
  assert.equal(providerAddress === null || URL.canParse(providerAddress), true);
  assert.equal(await isServed(again), false);
  assert.equal(await again.user(), null);
  assert.ok(await isServed(dave, 2));
  assert.equal((await dave.user())?.account, 'dave');
});

test('several users of one device take turns', async () => {
  const session = open();
  const alice = await session.signIn(request(), asUser('alice'));
  const bob = await session.signIn(request(), asUser('bob'));
  assert.equal((await session.current())?.userId, bob.userId);
  await session.switchTo(alice.userId);
  assert.equal((await session.user())?.account, 'alice');
  assert.ok(await isServed(session));
  await assert.rejects(session.switchTo('999'), SignInRequired);
});

test('the provider’s answer counts once, and only for a sign-in under way', async () => {
  const session = open();
  const address = await session.begin(request());
  const state = new URL(address).searchParams.get('state') as string;
  assert.equal(await session.finishesHere(state), true);
  assert.equal(await open().finishesHere(state), false);
  await assert.rejects(session.finish('https://app.example/?state=another&code=1'), SignInRefused);
  const returned = await asUser('alice')(address);
  await session.finish(returned);
  await assert.rejects(session.finish(returned), SignInRefused);
  const other = await session.begin(request());
  const refused = `https://app.example/?state=${new URL(other).searchParams.get('state')}&error=access_denied`;
  await assert.rejects(session.finish(refused), /The provider refused the sign-in: access_denied\./);
});

test('a token that is due is refreshed once for all waiting calls, and the other sessions get the new one', async () => {
  const storage = memoryStorage();
  let refreshes = 0;
  const sent = (address: string) => {
    if (address.endsWith('/auth/refresh')) refreshes++;
  };
  const [one, other] = [open({ storage, refreshAfterMs: 0, sent }), open({ storage, sent })];
  await one.signIn(request(), asUser('alice'));
  const before = (await other.current())?.token as string;
  const tokens = new Set(await Promise.all(Array.from({ length: 20 }, () => one.token())));
  assert.equal(refreshes, 1);
  assert.equal(tokens.size, 1);
  assert.equal(await other.refused(before), [...tokens][0], 'the old one was refused, and a newer one is there');
});

test('a lost answer to a refresh does not end the session', async () => {
  let losses = 2;
  const session = createSession({
    ...{ ...service.place, appKey: service.appKey },
    storage: memoryStorage(),
    wait: async () => {},
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (String(input).endsWith('/auth/refresh') && losses-- > 0) throw new TypeError('fetch failed');
      return response;
    },
  });
  sessions.push(session);
  await session.signIn(request(), asUser('alice'));
  await session.refresh();
  assert.ok(await isServed(session));
  assert.equal(losses, -1);
});

test('a session that was ended elsewhere requires a new sign-in, and still knows the user', async () => {
  const session = open();
  const { userId } = await session.signIn(request(), asUser('bob'));
  let changes = 0;
  session.onChange(() => changes++);
  const { token } = (await session.current()) ?? {};
  await endSession(service, token as string);
  assert.equal(await isServed(session), false);
  assert.deepEqual(await session.current(), { userId, token: null });
  assert.equal(changes, 1);
});

test('an account with a password', async () => {
  const password = 'a password of carol, for tests';
  await givePassword(service, 'carol', password);
  const session = open();
  await assert.rejects(session.signInWithPassword('carol', 'not the password'), (error) => {
    assert.ok(error instanceof SignInRefused);
    assert.equal(error.code, 111);
    return true;
  });
  assert.equal((await session.signInWithPassword('carol', password)).account, 'carol');
  assert.ok(await isServed(session));
});
