/** Sign-in to the administration over HTTP: set-up link, password, cookies, CSRF, and how sessions end. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAdministrator, updateAdministrator } from '../../src/administration/administrators.ts';
import { openAccounts } from '../../src/administration/open.ts';
import { setUserPassword } from '../../src/administration/user-passwords.ts';
import { valueAt } from '../harness/match.ts';
import { type Browser, type House, openHouse, outcome, password, trail } from './house.ts';

const minute = 60_000;
const hour = 60 * minute;
const longer = 'another password for the tests';
let house: House;
let root: Browser;
before(async () => {
  house = await openHouse();
  house.secrets.push(longer);
  root = await house.setUp();
});
after(() => house.close());

async function signedIn(account = 'root', secret = password): Promise<Browser> {
  const browser = house.browser();
  assert.equal(outcome(await browser.signIn(account, secret)), '0 200');
  return browser;
}

const me = async (browser: Browser) => outcome(await browser.call('GET', '/me'));

/** Creates another administrator with the password, like the command line. */
async function addAdministrator(account: string): Promise<number> {
  return (await createAdministrator(house.server.administration, { kind: 'operator' }, { account, password })).id;
}

describe('the set-up link', () => {
  test('signs the first administrator in, and is then used up', async () => {
    const answer = await root.call('GET', '/me');
    const { permissions, ...self } = valueAt(answer.json, 'results') as Readonly<Record<string, unknown>>;
    assert.deepEqual(self, { kind: 'administrator', id: 1, account: 'root' });
    assert.ok(Array.isArray(permissions) && permissions.includes('company.create'));
    assert.equal(await house.server.setUpLink(), null);
    const secret = house.secrets[2] ?? '';
    assert.match(secret, /^[0-9a-f]{64}$/);
    const again = await house.browser().call('POST', '/set-up', { secret, account: 'mallory', password });
    assert.equal(outcome(again), '111 401');
    const entries = await trail(house.server);
    assert.ok(entries.includes('done administrator.setUp by nobody root'), entries.join('\n'));
    assert.ok(entries.includes('done administration.signIn by administrator root'));
  });

  test('expires, stays valid after an error, and works only once in simultaneous attempts', async (context) => {
    const fresh = await openHouse();
    context.after(() => fresh.close());
    const linkOf = async () => new URL((await fresh.server.setUpLink()) ?? '').hash.slice(1);
    const early = await linkOf();
    fresh.clock.ms += 23 * hour;
    const late = await linkOf();
    fresh.secrets.push(early, late);
    fresh.clock.ms += 2 * hour;
    const setUp = (secret: string, changes: object = {}) =>
      fresh.browser().call('POST', '/set-up', { secret, account: 'root', password, ...changes });
    assert.equal(outcome(await setUp(early)), '111 401');
    assert.equal(outcome(await setUp('f'.repeat(64))), '111 401');
    assert.equal(outcome(await setUp(late, { password: 'too short' })), '131 400');
    assert.equal(outcome(await setUp(late, { email: 'not an address' })), '131 400');
    assert.equal(outcome(await setUp(late, { account: ' ' })), '131 400');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => setUp(late, { account: `root${index}` })),
    );
    assert.deepEqual(answers.map(outcome).sort(), ['0 200', ...Array.from({ length: 7 }, () => '111 401')]);
    const db = fresh.server.storage.directory;
    assert.equal((await db.read(db.build.selectFrom('administrator').select('id'))).length, 1);
  });
});

describe('a sign-in with a password', () => {
  test('refuses an unknown account, a wrong password and a missing one alike; only the right password reveals disabling', async () => {
    const id = await addAdministrator('carl');
    const answers = [
      await house.browser().signIn('nobody'),
      await house.browser().signIn('carl', 'wrong'),
      await house.browser().signIn('carl', 'x'.repeat(5_000)),
      await house.browser().signIn('carl', password, 7),
    ];
    assert.deepEqual(new Set(answers.map(outcome)), new Set(['111 401']));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.flatMap(({ headers }) => headers['set-cookie'] ?? []).length, 0);

    const carl = await signedIn('CARL ');
    await updateAdministrator(house.server.administration, { kind: 'operator' }, id, { disabled: true });
    assert.equal(await me(carl), '121 401');
    assert.equal(outcome(await house.browser().signIn('carl')), '119 403');
    assert.equal(outcome(await house.browser().signIn('carl', 'wrong')), '111 401');
    const entries = await trail(house.server);
    assert.ok(entries.includes('refused administration.signIn by nobody carl'));
    // The text typed as an unknown account may be a password.
    assert.ok(!entries.join('\n').includes('nobody nobody'));
    assert.ok(entries.includes('done administrator.disable by operator command line'));
  });

  test('sets a cookie hidden from scripts, other sites and other paths', async () => {
    const browser = house.browser();
    const answer = await browser.signIn('root');
    const { expires } = (answer.json as { readonly results: { readonly expires: string } }).results;
    assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    assert.match(cookie, /^rowhouse_admin=[0-9a-f]{64}; Path=\/admin; HttpOnly; SameSite=Strict$/);
    const remote = await browser.call('POST', '/sign-in', { account: 'root', password }, { host: 'data.example.com' });
    assert.match(remote.headers['set-cookie']?.[0] ?? '', /; Secure$/);
  });

  test('never reuses a cookie sent by the client', async () => {
    const mallory = await signedIn();
    const victim = house.browser();
    for (const planted of ['f'.repeat(64), mallory.cookies.get('rowhouse_admin') ?? '']) {
      victim.cookies.set('rowhouse_admin', planted);
      assert.equal(outcome(await victim.signIn('root')), '0 200');
      assert.notEqual(victim.cookies.get('rowhouse_admin'), planted);
    }
    victim.cookies.set('rowhouse_admin', 'f'.repeat(64));
    assert.equal(await me(victim), '121 401');
  });

  test('ends the session whose cookie it replaces, once it succeeds', async () => {
    const browser = await signedIn();
    const copied = house.browser();
    copied.cookies.set('rowhouse_admin', browser.cookies.get('rowhouse_admin') ?? '');
    assert.equal(outcome(await browser.signIn('root', 'another password')), '111 401');
    assert.equal(await me(copied), '0 200');
    await addAdministrator('rita');
    const before = await trail(house.server);
    assert.equal(outcome(await browser.signIn('rita')), '0 200');
    assert.equal(await me(copied), '121 401');
    assert.equal(await me(browser), '0 200');
    const [signIn, signOut] = [
      'done administration.signIn by administrator rita',
      'done administration.signOut by administrator root',
    ];
    assert.deepEqual(
      (await trail(house.server)).slice(before.length),
      [signIn, signOut],
      'an entry of the former owner',
    );
    // A session that has ended is not ended again.
    copied.cookies.set('rowhouse_admin', 'f'.repeat(64));
    assert.equal(outcome(await copied.signIn('rita')), '0 200');
    assert.deepEqual((await trail(house.server)).slice(before.length), [signIn, signOut, signIn]);
  });

  test('is available to users of a company whose application has accounts with a password', async () => {
    const { directory, administration } = house.server;
    await directory.companies.create({ id: 7, name: 'Seven' });
    await directory.applications.create({ companyId: 7, appId: 'notes' });
    const user = await directory.users.create({ companyId: 7, account: 'uma' });
    await setUserPassword(administration, { kind: 'operator' }, { companyId: 7, userId: user.id, password });
    assert.equal(outcome(await house.browser().signIn('uma', password, 7)), '111 401');
    await directory.applications.update(7, 'notes', { localAccounts: true });
    assert.equal(outcome(await house.browser().signIn('uma', 'wrong', 7)), '111 401');
    const uma = house.browser();
    assert.equal(outcome(await uma.signIn('uma', password, 7)), '0 200');
    assert.match((await uma.call('GET', '/me')).text, /"kind":"user","id":\d+,"account":"uma","companyId":7/);
    await directory.companies.update(7, { disabled: true });
    house.clock.ms += 5_000;
    assert.equal(await me(uma), '110 401');
    await directory.companies.update(7, { disabled: false });
    house.clock.ms += 5_000;
    assert.equal(await me(uma), '0 200');
    await directory.applications.update(7, 'notes', { localAccounts: false });
    house.clock.ms += 5_000;
    assert.equal(await me(uma), '110 401', 'no application of the company takes passwords any more');
    const next = house.browser();
    next.cookies.set('rowhouse_admin', uma.cookies.get('rowhouse_admin') ?? '');
    assert.equal(outcome(await next.signIn('root')), '0 200');
    await directory.applications.update(7, 'notes', { localAccounts: true });
    house.clock.ms += 5_000;
    assert.equal(await me(uma), '121 401', 'a replaced session does not come back with its account');
  });
});

describe('everything but reading', () => {
  test('needs the CSRF token of this session, and no other origin', async () => {
    const browser = await signedIn();
    const other = await signedIn();
    const own = browser.csrfToken;
    for (const csrfToken of [undefined, '', 'f'.repeat(64), other.csrfToken]) {
      browser.csrfToken = csrfToken;
      assert.equal(outcome(await browser.call('POST', '/sign-out')), '122 403', String(csrfToken));
    }
    browser.csrfToken = own;
    for (const origin of ['https://evil.example', 'null']) {
      assert.equal(outcome(await browser.call('POST', '/sign-out', undefined, { origin })), '122 403');
      const signIn = await house.browser().call('POST', '/sign-in', { account: 'root', password }, { origin });
      assert.equal(outcome(signIn), '122 403');
    }
    const answer = await browser.call('GET', '/session');
    assert.deepEqual((answer.json as { results: object }).results, { csrfToken: own });
    const { origin } = new URL(house.server.url);
    assert.equal(outcome(await browser.call('POST', '/sign-out', undefined, { origin })), '0 200');
  });
});

describe('a session', () => {
  test('ends with the sign-out, at once here and within five seconds in other processes', async () => {
    const elsewhere = openAccounts(house.server.administration).sessions;
    const browser = await signedIn();
    const cookie = browser.cookies.get('rowhouse_admin') ?? '';
    const copy = house.browser();
    copy.cookies.set('rowhouse_admin', cookie);
    assert.equal(await me(copy), '0 200');
    assert.equal((await elsewhere.settle(cookie, undefined, 'GET')).kind, 'administrator');
    const answer = await browser.call('POST', '/sign-out');
    assert.match(
      answer.headers['set-cookie']?.[0] ?? '',
      /^rowhouse_admin=; Path=\/admin; HttpOnly; SameSite=Strict; Max-Age=0$/,
    );
    assert.equal(await me(copy), '121 401');
    house.clock.ms += 5_000;
    await assert.rejects(elsewhere.settle(cookie, undefined, 'GET'), { reason: 121 });
    assert.ok((await trail(house.server)).includes('done administration.signOut by administrator root'));
  });

  test('is extended by each use, and ends at its longest life in any case', async () => {
    const used = await signedIn();
    const idle = await signedIn();
    for (let at = 0; at < 12 * hour - 50 * minute; at += 50 * minute) {
      assert.equal(await me(used), '0 200', `after ${at / minute} minutes`);
      house.clock.ms += 50 * minute;
    }
    assert.equal(await me(idle), '120 401');
    assert.equal(await me(used), '0 200');
    house.clock.ms += 30 * minute;
    assert.equal(await me(used), '120 401');
  });

  test('has its last use stored for other processes', async () => {
    const browser = await signedIn();
    house.clock.ms += 50 * minute;
    assert.equal(await me(browser), '0 200');
    house.clock.ms += 50 * minute;
    const elsewhere = openAccounts(house.server.administration).sessions;
    const actor = await elsewhere.settle(browser.cookies.get('rowhouse_admin'), undefined, 'GET');
    assert.equal(actor.kind, 'administrator');
  });

  test('ends within five seconds when the account is disabled elsewhere', async () => {
    const id = await addAdministrator('dora');
    const dora = await signedIn('dora');
    assert.equal(await me(dora), '0 200');
    // Bypasses the cache of this process, like another process.
    const db = house.server.storage.directory;
    await db.write([db.build.updateTable('administrator').set({ disabled: 1 }).where('id', '=', id)]);
    house.clock.ms += 5_000;
    assert.equal(await me(dora), '110 401');
  });

  test('survives a change of the own password, while all others of the account end', async () => {
    await addAdministrator('erin');
    const [own, other] = [await signedIn('erin'), await signedIn('erin')];
    const change = (current: string, wanted: string) => own.call('PUT', '/me/password', { current, password: wanted });
    assert.equal(outcome(await change('wrong', longer)), '111 401');
    assert.equal(outcome(await change(password, 'short')), '131 400');
    assert.equal(outcome(await change(password, 'aaaaaaaaaaaaaaaa')), '131 400');
    assert.equal(await me(other), '0 200');
    assert.equal(outcome(await change(password, longer)), '0 200');
    assert.equal(await me(own), '0 200');
    assert.equal(await me(other), '121 401');
    assert.equal(outcome(await house.browser().signIn('erin')), '111 401');
    await signedIn('erin', longer);
  });
});

describe('too many attempts', () => {
  test('at one account must wait, whether it exists or not', async (context) => {
    const strict = await openHouse({ attemptLimits: true, accountAttemptsFree: 3 });
    context.after(() => strict.close());
    await strict.setUp();
    for (const account of ['root', 'nobody']) {
      const outcomes: string[] = [];
      for (let attempt = 0; attempt < 5; attempt++)
        outcomes.push(outcome(await strict.browser().signIn(account, 'wrong')));
      assert.deepEqual(outcomes.slice(0, 3), ['111 401', '111 401', '111 401']);
      assert.equal(outcomes.at(-1), '201 429');
    }
    assert.equal(outcome(await strict.browser().signIn('root')), '201 429');
    strict.clock.ms += 15 * minute;
    assert.equal(outcome(await strict.browser().signIn('root')), '0 200');
  });
});
