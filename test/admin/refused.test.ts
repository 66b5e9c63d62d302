/**
 * Which requests the administration interface refuses, and with which code: no session, another page's request, a
 * missing right, another company.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { operationsOf } from '../../src/http/api/operations.ts';
import { type Browser, outcome } from '../administration/house.ts';
import { valueAt } from '../harness/match.ts';
import { samples } from './requests.ts';
import { type AdminWorld, openAdminWorld, operationNamed, pathOf, roles } from './world.ts';

const adminOperations = operationsOf('administration');

let world: AdminWorld;
before(async () => {
  world = await openAdminWorld();
});
after(() => world.close());

const withSession = adminOperations.filter(({ caller }) => caller === 'session');
/** Requests of the tag sign-in are tested with the sign-in; only those that need a session are included. */
const sampled = withSession.filter(({ tag }) => tag !== 'sign-in');

const params = {
  companyId: 1,
  appId: 'shop',
  version: '1.0',
  provider: 'idp',
  objectName: 'None',
  transactionId: 'none',
  clientId: 'c',
  groupId: 1,
  userId: 1,
  roleId: 1,
  deviceId: 1,
  jobId: '0'.repeat(32),
  sessionId: 's',
  administratorId: 1,
};

function bare(): Browser {
  return world.house.browser();
}

describe('refused', { concurrency: false }, () => {
  test('there is a request for every operation, and every operation is described once', () => {
    assert.deepEqual(samples.map(({ name }) => name).sort(), sampled.map(({ name }) => name).sort());
    assert.equal(new Set(adminOperations.map(({ name }) => name)).size, adminOperations.length);
    assert.equal(
      new Set(adminOperations.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)).size,
      adminOperations.length,
    );
  });

  test('without a valid cookie every operation answers 121, whatever its body', async () => {
    for (const operation of withSession) {
      for (const cookie of ['', 'rowhouse_admin=', `rowhouse_admin=${'0'.repeat(64)}`, 'rowhouse_admin=%00']) {
        const path = pathOf(operation, { params });
        const answer = await bare().call(operation.method, path, operation.body && { nonsense: 1 }, { cookie });
        assert.equal(outcome(answer), '121 401', `${operation.name}: ${answer.text}`);
      }
    }
  });

  test('with a wrong CSRF token, or none, every change answers 122 with 403, whatever its body', async () => {
    const { cookies } = world.browser('root');
    const cookie = `rowhouse_admin=${cookies.get('rowhouse_admin')}`;
    for (const operation of withSession.filter(({ method }) => method !== 'GET')) {
      for (const token of ['', 'wrong', world.browser('user').csrfToken ?? '']) {
        const headers = { cookie, ...(token === '' ? {} : { 'x-csrf-token': token }) };
        const path = pathOf(operation, { params });
        const answer = await bare().call(operation.method, path, operation.body && { nonsense: 1 }, headers);
        assert.equal(outcome(answer), '122 403', `${operation.name}: ${answer.text}`);
        assert.match(answer.text, /x-csrf-token/);
      }
    }
  });

  test('a page of another origin changes nothing, even with the right cookie and token; our own one can', async () => {
    const { url } = world.house.server;
    const own = new URL(url).origin;
    for (const operation of adminOperations.filter(({ method }) => method !== 'GET')) {
      for (const origin of ['https://evil.example.com', 'null', `${own}0`, 'http://127.0.0.1']) {
        const path = pathOf(operation, { params });
        const answer = await world.browser('root').call(operation.method, path, operation.body && {}, { origin });
        assert.equal(outcome(answer), '122 403', `${operation.name} from ${origin}: ${answer.text}`);
        assert.match(answer.text, /Origin/);
      }
    }
    const body = { revision: 99 };
    const answer = await world.browser('root').call('PUT', '/companies/1', body, { origin: own });
    assert.equal(outcome(answer), '130 409', answer.text);
  });

  test('a request without a session may have a body of sign-in size at most, others a large one', async () => {
    const { signInBytesMax, bodyBytesMax } = defaults;
    const padded = { padding: 'x'.repeat(signInBytesMax) };
    assert.ok(2 * signInBytesMax < bodyBytesMax);
    for (const operation of adminOperations.filter(({ body }) => body !== null && body !== undefined)) {
      const path = pathOf(operation, { params });
      const answer = await world.browser('root').call(operation.method, path, padded);
      const isTooLarge = answer.text.includes(`larger than ${signInBytesMax} bytes`);
      assert.equal(isTooLarge, operation.caller === 'none', `${operation.name}: ${answer.text}`);
    }
  });

  test('two different cookies of the name are ignored, because another host of the domain may have set one', async () => {
    const value = world.browser('root').cookies.get('rowhouse_admin');
    const twice = `rowhouse_admin=${world.browser('user').cookies.get('rowhouse_admin')}; rowhouse_admin=${value}`;
    assert.equal(outcome(await bare().call('GET', '/me', undefined, { cookie: twice })), '121 401');
    const same = `rowhouse_admin=${value}; other=1; rowhouse_admin=${value}`;
    assert.equal((await bare().call('GET', '/me', undefined, { cookie: same })).status, 200);
  });

  test('each role may do what it permits, and everything else is refused with 122', async () => {
    for (const { name, ask, who } of samples) {
      for (const role of ['root', ...roles] as const) {
        const answer = await world.ask(role, name, ask(world));
        const code = valueAt(answer.json, 'errCode');
        const may = role === 'root' || who.includes(role);
        const told = `${name} by ${role}: ${answer.text.slice(0, 300)}`;
        if (may) assert.ok(code !== 122 && code !== 121 && answer.status < 500, told);
        else assert.equal(outcome(answer), '122 403', told);
      }
    }
  });

  test('another company does not exist, for each of its objects and each operation', async () => {
    for (const { name, ask } of samples) {
      const operation = operationNamed(name);
      if (!operation.path.includes(':companyId')) continue;
      const foreign = await world.ask('stranger', name, ask(world));
      assert.equal(outcome(foreign), '130 404', `${name}: ${foreign.text}`);
      // The same text as for a company that does not exist.
      const asked = ask(world);
      const none = await world.ask('stranger', name, { ...asked, params: { ...asked.params, companyId: 777 } });
      assert.equal(none.text.replaceAll('777', '1'), foreign.text, name);
    }
  });

  test('a user sees nothing of another company at addresses without a company', async () => {
    assert.deepEqual(
      (await world.results('stranger', 'listCompanies')).map(({ id }) => id),
      [2],
    );
    assert.ok((await world.results('stranger', 'listAudit')).every(({ companyId }) => companyId === 2));
    assert.deepEqual(await world.results('stranger', 'listAudit', { query: { companyId: 1 } }), []);
    const foreignGroup = { companyId: 1, groupId: world.foreign };
    assert.equal(outcome(await world.ask('superAdmin', 'getGroup', { params: foreignGroup })), '130 404');
    const foreignApp = { companyId: 1, appId: 'secret-app' };
    assert.equal(outcome(await world.ask('superAdmin', 'getApplication', { params: foreignApp })), '105 404');
  });

  test('an App Admin has no access to an application of other groups, and is not told which exist', async () => {
    for (const appId of ['south', 'nothing']) {
      const answer = await world.ask('appAdmin', 'getApplication', { params: { companyId: 1, appId } });
      assert.equal(outcome(answer), '122 403', answer.text);
    }
    const account = { revision: 1, accountPolicy: 'refuse' };
    const shop = { companyId: 1, appId: 'shop' };
    await world.refused('appAdmin', 'updateApplication', { params: shop, body: account }, 122, 403);
    await world.refused(
      'superAdmin',
      'updateCompany',
      { params: { companyId: 1 }, body: { revision: 1, disabled: true } },
      122,
    );
  });

  test('an App Admin who gives an application to other groups gets a success', async () => {
    const params = { companyId: 1, appId: 'shop' };
    const { revision } = await world.result('appAdmin', 'getApplication', { params });
    const given = await world.result('appAdmin', 'updateApplication', {
      params,
      body: { revision, groupIds: [world.south] },
    });
    assert.deepEqual(given.groupIds, [world.south]);
    await world.refused('appAdmin', 'getApplication', { params }, 122, 403);
    const back = { revision: given.revision, groupIds: [world.north] };
    await world.result('root', 'updateApplication', { params, body: back });
  });

  test('a Super Admin cannot make the service send requests to its own machine', async () => {
    const params = { companyId: 1, appId: 'shop' };
    for (const issuer of ['http://127.0.0.1:8080', 'HTTP://localhost', 'ht\ntp://[::1]/']) {
      const body = { name: 'near', issuer };
      await world.refused('superAdmin', 'createProvider', { params, body }, 131, 400);
    }
    await world.result('superAdmin', 'createProvider', { params, body: { name: 'idp', issuer: 'https://a.example' } });
    const change = { params: { ...params, provider: 'idp' }, body: { revision: 1, issuer: 'http://127.0.0.1' } };
    await world.refused('superAdmin', 'updateProvider', change, 131, 400);
    await world.result('root', 'updateProvider', change);
  });

  test('the session of a disabled user ends', async () => {
    const params = { companyId: 1, userId: world.userId('manager') };
    const user = await world.result('root', 'getUser', { params });
    await world.result('root', 'updateUser', { params, body: { revision: user.revision, disabled: true } });
    world.house.clock.ms += 5_000;
    assert.equal(outcome(await world.ask('manager', 'getMe')), '110 401');
  });
});
