/** The audit trail: entries never change, who may read which, and how entries of refused sign-ins are limited. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '../../src/actor.ts';
import { exportAuditTrail, readAudit } from '../../src/administration/audit-trail.ts';
import { authorize } from '../../src/administration/authorize.ts';
import type { AuditRow } from '../../src/audit/read.ts';
import { openRefusals, type Refusal } from '../../src/audit/refusals.ts';
import { type AuditEntry, auditInsert } from '../../src/audit/trail.ts';
import { noteRateLimited } from '../../src/auth/refused.ts';
import { role } from '../../src/caller.ts';
import { ServiceError } from '../../src/errors.ts';
import {
  type AuthWorld,
  codeFor,
  loginBody,
  openWorld,
  path,
  refusal,
  signIn,
  withDemoProvider,
} from '../auth/world.ts';

const operator: Actor = { kind: 'operator' };
let world: AuthWorld;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const deps = () => ({ storage: world.storage, settings: world.settings });

function entryOf(more: Partial<AuditEntry>): AuditEntry {
  return {
    time: world.clock.ms,
    actor: operator,
    action: 'group.create',
    target: 'group "Sales"',
    companyId: 1,
    appId: null,
    outcome: 'done',
    ...more,
  };
}

const auditor = (actor: Actor) => authorize(world, actor, 'audit.read', {});

async function exported(actor: Actor, request: Parameters<typeof exportAuditTrail>[2]): Promise<AuditRow[]> {
  return Array.fromAsync(exportAuditTrail(deps(), await auditor(actor), request));
}

test('an entry can be neither changed nor deleted in any way', async () => {
  const { db } = world;
  await db.write([auditInsert(db, entryOf({ target: 'kept' }))]);
  const all = () => db.read(db.build.selectFrom('audit').selectAll().orderBy('id'));
  const before = await all();
  const { id, ...columns } = before.at(-1)!;
  const attempts = [
    db.build.updateTable('audit').set({ target: 'changed' }).where('id', '=', id),
    db.build.updateTable('audit').set({ outcome: 'refused' }),
    db.build.deleteFrom('audit').where('id', '=', id),
    db.build.deleteFrom('audit'),
    db.build
      .insertInto('audit')
      .values({ id, ...columns, target: 'changed' })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ target: 'changed' })),
  ];
  for (const attempt of attempts) await assert.rejects(db.write([attempt]));
  const innocent = db.build.updateTable('company').set({ name: 'Renamed' }).where('id', '=', 1);
  await assert.rejects(db.write([innocent, attempts[2]!]), 'the whole transaction is refused');
  assert.deepEqual(await all(), before);
  assert.notEqual((await world.directory.companies.find(1))?.name, 'Renamed');
});

describe('read', () => {
  before(async () => {
    const { db } = world;
    const ann = {
      kind: 'user',
      companyId: 1,
      userId: 7,
      account: 'ann',
      memberships: [],
      address: '192.0.2.1',
    } as const;
    const times = Array.from({ length: 1_203 }, (_, index) => index);
    await db.write(
      times.map((index) =>
        auditInsert(
          db,
          entryOf({
            time: index,
            actor: index % 3 === 0 ? ann : operator,
            action: index % 2 === 0 ? 'user.create' : 'user.delete',
            target: `user ${index}`,
            companyId: [1, 2, null][index % 3] ?? null,
            outcome: index % 5 === 0 ? 'refused' : 'done',
            detail: { index },
          }),
        ),
      ),
    );
  });

  test('newest first, by company, time, actor, action, outcome and text', async () => {
    const read = (request: Parameters<typeof readAudit>[2]) =>
      readAudit(deps(), operator, { until: 2_000, ...request });
    const page = await read({ limit: 2 });
    assert.deepEqual([page.count, page.results.map(({ time }) => time)], [1_203, [1_202, 1_201]]);
    assert.deepEqual(page.results[0]?.detail, { index: 1_202 });
    assert.equal((await read({ from: 10, until: 20 })).count, 10);
    assert.equal((await read({ filter: { companyId: '2' } })).count, 401);
    assert.equal((await read({ filter: { actorName: 'ann', action: 'user.create' } })).count, 201);
    assert.equal((await read({ filter: { outcome: 'refused', actorKind: 'operator' } })).count, 160);
    assert.equal((await read({ search: 'USER 77', filter: { companyId: '1' } })).count, 3);
    assert.deepEqual((await read({ sort: 'id', offset: 5, limit: 1 })).results[0]?.time, 5);
    for (const wrong of [{ filter: { detail: 'x' } }, { sort: 'time' }, { limit: 100_000 }, { from: 0.5 }]) {
      await assert.rejects(read(wrong), refusal('malformed'));
    }
  });

  test('exported completely and in order, without later entries', async () => {
    const { db } = world;
    const stream = exportAuditTrail(deps(), operator, { until: 2_000, filter: { companyId: '1' } });
    const first = await stream.next();
    assert.equal((first.value as AuditRow).time, 0);
    await db.write([auditInsert(db, entryOf({ time: 1_999 }))]);
    const rest = await Array.fromAsync(stream);
    assert.deepEqual(
      rest.map(({ time }) => time),
      Array.from({ length: 400 }, (_, index) => 3 * (index + 1)),
    );
    assert.equal((await exported(operator, { until: 1_500 })).length, 1_203);
  });

  test('by administrators of a company, only of their company; by others not at all', async () => {
    const member = (roleId: number): Actor => {
      const membership = { groupId: 1, groupName: 'Sales', roleId, roleName: '' };
      return { kind: 'user', companyId: 2, userId: 9, account: 'eve', memberships: [membership], address: null };
    };
    const head = member(role.superAdmin);
    const companies = new Set((await exported(head, {})).map(({ companyId }) => companyId));
    assert.deepEqual([...companies], [2]);
    assert.equal((await readAudit(deps(), await auditor(head), { until: 2_000 })).count, 401);
    assert.equal((await readAudit(deps(), await auditor(head), { filter: { companyId: '1' } })).count, 0);
    for (const roleId of [role.appAdmin, role.admin, role.manager, role.user, role.developer, 100]) {
      await assert.rejects(auditor(member(roleId)), refusal('forbidden'));
    }
  });
});

describe('sign-ins', () => {
  let provider: Awaited<ReturnType<typeof withDemoProvider>>;
  before(async () => {
    provider = await withDemoProvider(world);
  });
  after(() => provider.close());

  const entries = async (action: string, outcome: string) =>
    (await exported(operator, { filter: { action, outcome } })).map(({ id: _, time: __, ...entry }) => entry);

  test('that succeed have an entry, a renewal none, a log-out one; no entry contains the token', async () => {
    const token = await world.anonymous();
    const from = { address: '192.0.2.9' };
    const body = loginBody(token, await codeFor(world, token));
    const info = await world.auth.login(path, 'idp', token, body, from);
    const caller = await world.auth.settle(path, info.userTokens, 'user');
    assert.ok(caller.kind === 'user');
    await world.auth.refresh(caller);
    await world.auth.logout(caller, from);
    const [start] = await entries('session.start', 'done');
    const common = { actorKind: 'user', actorId: info.userId, actorName: 'alice', address: from.address };
    const what = { companyId: 1, appId: 'notes', outcome: 'done', target: start?.target };
    const detail = { version: '1.0.0', device: 'device-1', provider: 'idp' };
    assert.match(start!.target, /^session [0-9a-f]{24}$/);
    assert.deepEqual(start, { ...common, ...what, action: 'session.start', detail });
    const [end] = await entries('session.end', 'done');
    assert.deepEqual(
      { ...end, detail: null },
      { ...common, ...what, appId: null, action: 'session.end', detail: null },
    );
    const all = JSON.stringify(await exported(operator, {}));
    for (const secret of [token, info.userTokens, body.authzCode]) assert.ok(!all.includes(secret));
  });

  test('that are refused have the code, the reason, and the account if the provider named it', async () => {
    const from = { address: '192.0.2.10' };
    const token = await world.anonymous();
    const stranger = loginBody(token, await codeFor(world, token, 'carol'));
    await assert.rejects(world.auth.login(path, 'idp', token, stranger, from), refusal(119));
    const wrong = loginBody(token, 'made-up-code');
    await assert.rejects(world.auth.login(path, 'idp', token, wrong, from), refusal(115));
    await assert.rejects(
      world.auth.login({ ...path, companyId: 'x' }, 'idp', 'f'.repeat(64), wrong, from),
      refusal(121),
    );
    await world.auth.refusals.stored();
    const refused = await entries('session.start', 'refused');
    assert.deepEqual(
      refused.map(({ actorKind, actorName, companyId, address, detail }) => [
        actorKind,
        actorName,
        companyId,
        address,
        (detail as { code: string; count: number }).code,
        (detail as { code: string; count: number }).count,
      ]),
      [
        ['nobody', 'carol@example.com', 1, from.address, '119', 1],
        ['nobody', '', 1, from.address, '115', 1],
        ['nobody', '', null, from.address, '121', 1],
      ],
    );
    assert.equal((refused[0]!.detail as { reason: string }).reason, 'the account is unknown');
    for (const secret of [token, 'made-up-code']) assert.ok(!JSON.stringify(refused).includes(secret));
  });

  test('fail when their entry cannot be written', async (context) => {
    const { db } = world;
    const write = db.write.bind(db);
    const sessions = (await world.auth.listSessions(1, {})).count;
    const token = await world.anonymous();
    const body = loginBody(token, await codeFor(world, token));
    context.mock.method(db, 'write', (queries: Parameters<typeof write>[0]) =>
      write(
        queries.length === 1
          ? queries
          : [...queries, db.build.updateTable('audit').set({ target: 'this is refused by the database' })],
      ),
    );
    await assert.rejects(world.auth.login(path, 'idp', token, body), refusal(201));
    context.mock.restoreAll();
    assert.equal((await world.auth.listSessions(1, {})).count, sessions);
    await signIn(world);
  });
});

describe('many refusals', () => {
  const refusalOf = (more: Partial<Refusal>): Refusal => ({
    action: 'session.start',
    account: 'ann',
    address: '192.0.2.1',
    companyId: 1,
    appId: 'notes',
    code: '111',
    reason: 'The password is not right.',
    vouched: true,
    ...more,
  });
  const quiet = { warn() {} };

  async function opened(auditRefusalsMax: number) {
    const { db } = world;
    const clock = { ms: world.clock.ms };
    const environment = { now: () => clock.ms, random: () => Buffer.alloc(0) };
    const refusals = openRefusals(db, { auditRefusalsMax }, environment, quiet);
    const [last] = await db.read(db.build.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1));
    const counts = async () => {
      await refusals.stored();
      const written = (await exported(operator, {})).filter(({ id }) => id > (last?.id ?? 0));
      return written.map(({ actorName, detail }) => {
        const { code, count } = detail as { code: string; count: number };
        return `${actorName} ${code} ${count}`;
      });
    };
    return { refusals, counts, clock };
  }

  test('that are alike become one entry a minute, with their number', async () => {
    const { refusals, counts, clock } = await opened(100);
    for (let time = 0; time < 1_000; time += 1) await refusals.note(refusalOf({}));
    assert.deepEqual(await counts(), ['ann 111 1']);
    for (const other of [{ account: 'bob' }, { address: null }, { code: '119' }, { companyId: 2 }]) {
      await refusals.note(refusalOf(other));
    }
    assert.equal((await counts()).length, 5);
    clock.ms += 60_000;
    await refusals.note(refusalOf({}));
    assert.deepEqual((await counts()).slice(5), ['ann 111 999']);
    await refusals.note(refusalOf({}));
    await refusals.close();
    assert.deepEqual((await counts()).slice(6), ['ann 111 2']);
  });

  test('that are all different become a limited number of entries a minute, and one for the rest', async () => {
    const { refusals, counts, clock } = await opened(10);
    for (let time = 0; time < 1_000; time += 1) await refusals.note(refusalOf({ account: `guess-${time}` }));
    assert.equal((await counts()).length, 10);
    clock.ms += 60_000;
    await refusals.note(refusalOf({ account: 'later' }));
    assert.deepEqual((await counts()).slice(10), [' others 990', 'later 111 1'], 'there is room again');
    await refusals.note(refusalOf({ account: 'later' }));
    await refusals.close();
    assert.equal(
      (await counts()).reduce((sum, text) => sum + Number(text.split(' ').at(-1)), 0),
      1_002,
    );
  });

  test('store only existing accounts, in their own spelling, because the typed text may be a password', async () => {
    const { refusals, counts } = await opened(100);
    const typed = { vouched: false, code: '111' };
    await refusals.note(refusalOf({ ...typed, account: 'ALICE' }));
    for (const account of ['my secret password', "' or 1=1 --", '\0', '\ud800']) {
      await refusals.note(refusalOf({ ...typed, account }));
    }
    await refusals.note(refusalOf({ ...typed, account: 'alice', companyId: 2, code: '119' }));
    await refusals.note(refusalOf({ ...typed, account: 'alice', companyId: null }));
    await refusals.close();
    assert.deepEqual(await counts(), ['alice 111 1', ' 111 1', ' 119 1', ' 111 1', ' 111 3']);
  });

  test('refused without a check have entries too, but faults that are not refusals have none', async () => {
    const { refusals, counts } = await opened(100);
    const from = { address: '192.0.2.1' };
    const tooMany = new ServiceError('tooMany', 'Too many attempts.');
    for (const companyId of ['1', '1', 'x']) await noteRateLimited(refusals, { ...path, companyId }, from, tooMany);
    for (const other of [new ServiceError('busy', 'Later.'), new Error('?')]) {
      await noteRateLimited(refusals, path, from, other);
    }
    await refusals.close();
    assert.deepEqual(await counts(), [' tooMany 1', ' tooMany 1', ' tooMany 1']);
  });

  test('are answered before their entry is stored, so that timing does not reveal which accounts exist', async () => {
    const disk = Promise.withResolvers<never[]>();
    const slow = { ...world.db, write: () => disk.promise };
    const environment = { now: () => world.clock.ms, random: () => Buffer.alloc(0) };
    const refusals = openRefusals(slow, { auditRefusalsMax: 10 }, environment, quiet);
    for (const account of ['alice', 'bob', 'nobody']) await refusals.note(refusalOf({ account, vouched: false }));
    disk.resolve([]);
    await refusals.close();
  });

  test('with names that cannot be stored are recorded as far as possible; a failed write is logged', async () => {
    const { refusals, counts } = await opened(10);
    await refusals.note(refusalOf({ account: `\0\ud800${'x'.repeat(500)}`, appId: '\0' }));
    assert.match((await counts()).join(), /^\ufffdx{199} 111 1$/);
    await refusals.close();
    const logged: object[] = [];
    const broken = { ...world.db, write: () => Promise.reject(new ServiceError('busy', 'no disk')) };
    const log = { warn: (entry: object) => void logged.push(entry) };
    const environment = { now: () => world.clock.ms, random: () => Buffer.alloc(0) };
    const failing = openRefusals(broken, { auditRefusalsMax: 10 }, environment, log as never);
    await failing.note(refusalOf({}));
    await failing.stored();
    assert.equal(logged.length, 1);
    await failing.close();
  });
});
