/** The feature on administrators: permissions, revisions, and that one is always enabled. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ActingUser, operator } from '../../src/actor.ts';
import {
  createAdministrator,
  getAdministrator,
  listAdministrators,
  setAdministratorPassword,
  updateAdministrator,
} from '../../src/administration/administrators.ts';
import { authorize } from '../../src/administration/authorize.ts';
import type { Administration } from '../../src/administration/open.ts';
import { role } from '../../src/caller.ts';
import { refusal } from '../auth/world.ts';
import { type House, openHouse, password, trail } from './house.ts';

const superAdmin: ActingUser = {
  kind: 'user',
  companyId: 1,
  userId: 1,
  account: 'sue',
  memberships: [{ groupId: 1, groupName: 'All', roleId: role.superAdmin, roleName: 'Super Admin' }],
  address: null,
};
let house: House;
let deps: Administration;
before(async () => {
  house = await openHouse();
  deps = house.server.administration;
});
after(() => house.close());

test('no role of a company is sufficient', async () => {
  await createAdministrator(deps, operator, { account: 'first' });
  for (const operation of ['administrator.read', 'administrator.change'] as const) {
    await assert.rejects(authorize(deps, superAdmin, operation, {}), refusal('forbidden'));
    assert.equal(await authorize(deps, operator, operation, {}), operator);
  }
});

test('a change names the revision that it is based on, and accounts and addresses are unique', async () => {
  const made = await createAdministrator(deps, operator, { account: 'rita', email: 'Rita@example.com', name: 'Rita' });
  assert.deepEqual(
    [made.email, made.revision, made.hasPassword, made.hasIdentity],
    ['rita@example.com', 1, false, false],
  );
  const changed = await updateAdministrator(deps, operator, made.id, { name: 'Rita R.', revision: 1 });
  assert.equal(changed.revision, 2);
  const before = (await trail(house.server)).length;
  await assert.rejects(updateAdministrator(deps, operator, made.id, { name: 'x', revision: 1 }), refusal(130));
  await assert.rejects(setAdministratorPassword(deps, operator, made.id, { password, revision: 1 }), refusal(130));
  await assert.rejects(updateAdministrator(deps, operator, made.id, { account: 'FIRST' }), refusal('malformed'));
  await assert.rejects(
    createAdministrator(deps, operator, { account: 'x', email: 'rita@EXAMPLE.com' }),
    refusal('malformed'),
  );
  await assert.rejects(updateAdministrator(deps, operator, 999, { name: 'x' }), refusal(130));
  assert.equal((await trail(house.server)).length, before, 'what did not happen is not in the trail');

  const attempts = Array.from({ length: 6 }, (_, index) =>
    updateAdministrator(deps, operator, made.id, { name: `Rita ${index}`, revision: 2 }),
  );
  const ends = await Promise.allSettled(attempts);
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await getAdministrator(deps, operator, made.id)).revision, 3);
});

test('of many administrators who disable each other at once, one stays enabled', async () => {
  const { results } = await listAdministrators(deps, operator, { filter: { disabled: 'false' } });
  const third = await createAdministrator(deps, operator, { account: 'third' });
  const everyone = [...results, third];
  assert.ok(everyone.length >= 3);
  const ends = await Promise.allSettled(
    everyone.map(({ id }) => updateAdministrator(deps, operator, id, { disabled: true })),
  );
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.equal(failed.length, 1);
  assert.ok(refusal('malformed')(failed[0]) && /last enabled administrator/.test(failed[0].message));
  assert.equal((await listAdministrators(deps, operator, { filter: { disabled: 'false' } })).count, 1);
});

test('the list is paged, sorted, filtered and searched, and contains no hash', async () => {
  await createAdministrator(deps, operator, { account: 'with-password', password });
  const page = await listAdministrators(deps, operator, { sort: '-account', limit: 2, search: 'R' });
  assert.deepEqual([page.results.map(({ account }) => account), page.count], [['with-password', 'third'], 4]);
  assert.ok(!JSON.stringify(page).includes('argon2'));
  await assert.rejects(listAdministrators(deps, operator, { sort: 'password_hash' }), refusal('malformed'));
});
