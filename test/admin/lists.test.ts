/** Lists of the administration interface: pages, order, filters, search; wrong input of every kind; exports; changes at once. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operationsOf } from '../../src/http/api/operations.ts';
import { outcome } from '../administration/house.ts';
import { valueAt } from '../harness/match.ts';
import { samples } from './requests.ts';
import { type AdminWorld, openAdminWorld, operationNamed } from './world.ts';

const adminOperations = operationsOf('administration');

const one = { companyId: 1 };
const shop = { companyId: 1, appId: 'shop' };
const entries = 250;

let world: AdminWorld;
before(async () => {
  world = await openAdminWorld({ listLimitMax: 200 });
  const { groups } = world.house.server.directory;
  for (const name of ['alpha', 'Beta', 'gamma', 'Delta', 'épsilon']) await groups.create({ companyId: 1, name });
  const { logs } = world.house.server.storage;
  const entry = { company_id: 1, app_id: 'shop', version: '1.0', user_id: 1, device_udid: 'd', level: 'ERROR' };
  const written = Array.from({ length: entries }, (_, number) =>
    logs.build.insertInto('entry').values({ ...entry, time: 1_000 + number, message: `message ${number}` }),
  );
  await logs.write([
    ...written,
    logs.build.insertInto('entry').values({ ...entry, company_id: 2, time: 1, message: 'x' }),
  ]);
});
after(() => world.close());

async function namesOf(query: Record<string, unknown>): Promise<unknown[]> {
  return (await world.results('root', 'listGroups', { params: one, query })).map(({ name }) => name);
}

describe('lists', { concurrency: false }, () => {
  test('pages together are the whole list, in the requested order', async () => {
    const all = await namesOf({});
    assert.deepEqual(all, ['North', 'South', 'alpha', 'Beta', 'gamma', 'Delta', 'épsilon']);
    const sorted = await namesOf({ sort: 'name' });
    assert.deepEqual(sorted, ['alpha', 'Beta', 'Delta', 'gamma', 'North', 'South', 'épsilon']);
    assert.deepEqual(await namesOf({ sort: '-name' }), sorted.toReversed());
    const pages: unknown[] = [];
    for (let offset = 0; offset < 9; offset += 3) {
      const answer = await world.ask('root', 'listGroups', { params: one, query: { sort: 'name', offset, limit: 3 } });
      assert.equal(valueAt(answer.json, 'count'), 7);
      pages.push(...(valueAt(answer.json, 'results') as { name: string }[]).map(({ name }) => name));
    }
    assert.deepEqual(pages, sorted);
  });

  test('filters match exactly, a search matches parts; both count the matches', async () => {
    assert.deepEqual(await namesOf({ name: 'Beta' }), ['Beta']);
    assert.deepEqual(await namesOf({ name: 'beta' }), []);
    assert.deepEqual(await namesOf({ search: 'TA' }), ['Beta', 'Delta']);
    assert.deepEqual(await namesOf({ search: '%' }), []);
    const answer = await world.ask('root', 'listGroups', { params: one, query: { search: 'ta', limit: 1 } });
    assert.equal(valueAt(answer.json, 'count'), 2);
    const none = await world.ask('root', 'listGroups', { params: one, query: { offset: 50 } });
    assert.deepEqual([valueAt(none.json, 'count'), valueAt(none.json, 'results')], [7, []]);
  });

  test('unknown fields of a list are refused, naming the known ones', async () => {
    const lists = adminOperations.filter(({ query }) => 'offset' in query.properties);
    assert.ok(lists.length >= 12);
    for (const { name, query } of lists) {
      const sample = samples.find((one) => one.name === name);
      const asked = sample?.ask(world) ?? {};
      // An unknown provider is reported first.
      if (name === 'listClients') continue;
      const wrong = (query: Record<string, unknown>) =>
        world.refused('root', name, { ...asked, query: { ...asked.query, ...query } }, 131, 400);
      assert.match(
        await wrong({ nonsense: 1 }),
        /query: there is no query parameter "nonsense"; known are offset, limit, /,
      );
      if ('sort' in query.properties) {
        assert.match(await wrong({ sort: 'nonsense' }), /sort: expected one of .+, got "nonsense"/);
        assert.match(await wrong({ sort: '-' }), /sort/);
      }
      assert.match(await wrong({ limit: 0 }), /limit: .*got "0"/);
      assert.match(await wrong({ limit: 201 }), /limit: .+listLimitMax.+got 201/);
      assert.match(await wrong({ limit: 'all' }), /limit: .*got "all"/);
      assert.match(await wrong({ offset: -1 }), /offset: .*got "-1"/);
      assert.match(await wrong({ offset: '1e3' }), /offset/);
    }
    const twice = await world.browser('root').call('GET', '/companies?limit=1&limit=2');
    assert.equal(outcome(twice), '131 400', twice.text);
    await world.refused('root', 'listCompanies', { query: { disabled: 'perhaps' } }, 131, 400);
    await world.refused('root', 'listCompanies', { query: { id: '1 OR 1=1' } }, 131, 400);
    await world.refused('root', 'listCompanies', { query: { search: 'x'.repeat(300) } }, 131, 400);
    await world.refused('root', 'listLogs', { params: shop, query: { from: 'yesterday' } }, 131, 400);
  });

  test('invalid input of every kind is refused before anything is done', async () => {
    for (const { name, ask } of samples) {
      const operation = operationNamed(name);
      const asked = ask(world);
      if (operation.body !== null) {
        const properties = Object.entries(
          operation.body.properties as Record<string, { type?: string; enum?: unknown }>,
        );
        const required = (operation.body as { required?: readonly string[] }).required ?? [];
        const body = (asked.body ?? {}) as Record<string, unknown>;
        const wrong = (sent: unknown) => world.refused('root', name, { ...asked, body: sent }, 131, 400);
        assert.match(await wrong({ ...body, nonsense: 1 }), /body: there is no member "nonsense"/, name);
        for (const member of required) {
          const { [member]: _, ...without } = body;
          assert.match(await wrong(without), new RegExp(`${member}: expected a value, got none`), name);
        }
        for (const [member, { type, enum: words }] of properties) {
          if (type === undefined) continue;
          if (words !== undefined) assert.ok((await wrong({ ...body, [member]: 5 })).startsWith(member), name);
          const description = await wrong({ ...body, [member]: { an: 'object' } });
          assert.ok(description.startsWith(member), `${name}: ${description}`);
        }
        assert.match(await wrong([]), /body/, name);
      }
      if (operation.path.includes(':companyId')) {
        const params = { ...asked.params, companyId: 'one' };
        assert.match(await world.refused('root', name, { ...asked, params }, 131, 400), /companyId: .*got "one"/);
      }
      for (const [param, value] of Object.entries(asked.params ?? {})) {
        if (typeof value !== 'string') continue;
        const params = { ...asked.params, [param]: `${value}\0` };
        assert.match(await world.refused('root', name, { ...asked, params }, 131, 400), /NUL/);
      }
    }
    const membership = { groupId: world.north, roleId: 5, rolId: 6 };
    const nested = { params: one, body: { account: 'nested', memberships: [membership] } };
    const description = await world.refused('root', 'createUser', nested, 131, 400);
    assert.equal(description, 'memberships[0]: there is no member "rolId"; did you mean "roleId"?');
    const noBody = await world.browser('root').call('PUT', '/companies/1');
    assert.equal(outcome(noBody), '131 400');
  });

  test('an id beyond all existing ones is unknown, not an internal error', async () => {
    const huge = 9_007_199_254_740_991;
    for (const { name, ask } of samples) {
      const operation = operationNamed(name);
      const asked = ask(world);
      const properties = Object.entries(operation.params.properties as Record<string, { type?: string }>);
      for (const [member, { type }] of properties) {
        const value = type === 'integer' ? huge : `${'x'.repeat(150)}\u{1f4a5}`;
        const answer = await world.ask('root', name, { ...asked, params: { ...asked.params, [member]: value } });
        assert.match(outcome(answer), /^(102|105|106|130|131|132) 4\d\d$/, `${name}, ${member}: ${answer.text}`);
      }
      if (!('offset' in operation.query.properties) || name === 'listClients') continue;
      const query = asked.query ?? {};
      const far = await world.ask('root', name, { ...asked, query: { ...query, offset: huge } });
      assert.deepEqual(valueAt(far.json, 'results'), [], `${name}: ${far.text}`);
      const filters = Object.keys(operation.query.properties).filter((field) => /id$/i.test(field));
      for (const field of filters) {
        const none = await world.ask('root', name, { ...asked, query: { ...query, [field]: '999999999999999' } });
        assert.ok(none.status < 500, `${name} by ${field}: ${none.text}`);
      }
    }
    const quotas = { storageBytesMax: huge, logEntriesMax: huge, requestsAtOnceMax: huge };
    const made = await world.result('root', 'createCompany', { body: { name: 'Huge', ...quotas } });
    assert.equal(made.storageBytesMax, huge);
    await world.refused('root', 'createCompany', { body: { name: 'No', id: huge } }, 131, 400);
  });

  test('an invalid secret is not quoted', async () => {
    const provider = { ...shop, provider: 'idp' };
    await world.result('root', 'createProvider', {
      params: shop,
      body: { name: 'idp', issuer: 'https://a.example.com' },
    });
    const client = { clientId: 'c', redirectUri: 'https://b.example.com/' };
    for (const secret of [['hidden-thing'], { a: 'hidden-thing' }, `${'hidden-thing'.repeat(300)}`]) {
      const body = { ...client, secret };
      const told = await world.refused('root', 'createClient', { params: provider, body }, 131, 400);
      assert.ok(!told.includes('hidden-thing'), told);
    }
    const appKey = ['hidden-thing'];
    const told = await world.refused(
      'root',
      'createApplication',
      { params: one, body: { appId: 'k', appKey } },
      131,
      400,
    );
    assert.ok(!told.includes('hidden-thing'), told);
  });

  test('of simultaneous changes based on one revision, one succeeds and the others are refused', async () => {
    const attempts = Array.from({ length: 10 }, (_, number) =>
      world.ask('root', 'updateCompany', { params: one, body: { revision: 1, name: `Name ${number}` } }),
    );
    const outcomes = (await Promise.all(attempts)).map(outcome).sort();
    assert.deepEqual(outcomes, ['0 200', ...Array.from({ length: 9 }, () => '130 409')]);
    const acts = await world.results('root', 'listAudit', { query: { action: 'company.update' } });
    assert.equal(acts.length, 1);
  });

  test('an export has every matching entry, in order, and none of another company', async () => {
    const answer = await world.ask('appAdmin', 'exportLogs', { params: shop });
    const rows = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ message }) => message),
      Array.from({ length: entries }, (_, number) => `message ${number}`),
    );
    const none = await world.ask('appAdmin', 'exportLogs', { params: shop, query: { level: 'MONITOR' } });
    assert.deepEqual([none.status, none.text], [200, '']);
    await world.refused('appAdmin', 'exportLogs', { params: shop, query: { userId: 'all' } }, 131, 400);
    await world.refused('appAdmin', 'exportLogs', { params: shop, query: { limit: 5 } }, 131, 400);
  });

  test('the audit trail as CSV can be read by spreadsheets, and contains no formulas', async () => {
    const { auth } = world.house.server;
    await auth.refusals.note({
      action: 'session.start',
      account: '=HYPERLINK("http://evil.example.com","x"), twice',
      vouched: true,
      address: null,
      companyId: 1,
      appId: null,
      code: '111',
      reason: 'It was wrong.',
    });
    await auth.refusals.stored();
    const answer = await world.ask('superAdmin', 'exportAudit', { query: { format: 'CSV', action: 'session.start' } });
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
    const [heading, ...lines] = answer.text.split('\r\n');
    assert.equal(heading, 'id,time,actorKind,actorId,actorName,companyId,appId,address,action,target,outcome,detail');
    assert.equal(lines.length, 2);
    const [line = ''] = lines;
    assert.ok(line.includes(`,"'=HYPERLINK(""http://evil.example.com"",""x""), twice",1,`), line);
    const empty = await world.ask('superAdmin', 'exportAudit', { query: { format: 'csv', action: 'none' } });
    assert.equal(empty.text, `${heading}\r\n`);
    await world.refused('superAdmin', 'exportAudit', { query: { format: 'xlsx' } }, 131, 400);
  });
});
