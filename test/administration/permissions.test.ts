/** Who may do what: the service's table against an independent oracle, for the whole matrix and at random. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seeded } from '../../lab/machine/random.ts';
import type { ActingUser, Actor } from '../../src/actor.ts';
import {
  groupsInReach,
  type PermissionTarget,
  type PermittedOperation,
  permissions,
  permitted,
  requirePermission,
} from '../../src/administration/permissions.ts';
import { ServiceError } from '../../src/errors.ts';
import { operations as registered } from '../../src/http/api/operations.ts';
import { mayDo } from './permissions-oracle.ts';

const operations = Object.keys(permissions) as PermittedOperation[];
/** Built-in roles, and a custom one. */
const roleIds = [1, 2, 3, 4, 5, 6, 100];
const groupIds = [1, 2, 3, 4];
/** What an application permits its App Admins. */
const accesses = ['none', 'read', 'write'] as const;
const own = 1;
const other = 2;

function holder(...roles: readonly number[]): ActingUser {
  const memberships = roles.map((roleId) => ({ groupId: own, groupName: 'Own', roleId, roleName: '' }));
  return { kind: 'user', companyId: 1, userId: 7, account: 'x', memberships, address: null };
}

/** Applications, groups and users of groups, with every role to be given or held. */
function targets(): PermissionTarget[] {
  const found: PermissionTarget[] = [{ companyId: 1 }, { companyId: null }, { companyId: 2 }];
  for (const companyId of [1, 2]) {
    found.push({ companyId, application: { groupIds: [] } });
    found.push({ companyId, user: { id: 7, memberships: [] } });
    for (const groupId of [own, other]) {
      found.push({ companyId, application: { groupIds: [groupId] } }, { companyId, groupId });
      for (const recordAccess of accesses)
        found.push({ companyId, application: { groupIds: [groupId], recordAccess } });
      for (const roleId of roleIds) {
        const memberships = [{ groupId, roleId }];
        found.push({ companyId, groupId, roleId });
        found.push({ companyId, user: { id: 8, memberships } });
        found.push({ companyId, user: { id: 7, memberships } });
        found.push({ companyId, user: { id: 8, memberships: [...memberships, { groupId: own, roleId: 5 }] } });
      }
    }
  }
  return found;
}

test('the whole matrix of operations, roles and targets agrees with the oracle', () => {
  const actors = [holder(), ...roleIds.map((roleId) => holder(roleId)), holder(3, 6), holder(1, 3), holder(4, 100)];
  const differing: string[] = [];
  let compared = 0;
  let allowed = 0;
  for (const actor of actors) {
    for (const operation of operations) {
      for (const target of targets()) {
        compared += 1;
        const answer = permitted(actor, operation, target);
        if (answer) allowed += 1;
        if (answer !== mayDo(actor, operation, target)) {
          const roles = actor.memberships.map(({ roleId }) => roleId);
          differing.push(`${operation} by ${roles} on ${JSON.stringify(target)}: ${answer}`);
        }
      }
    }
  }
  assert.deepEqual(differing, []);
  assert.ok(compared > 40_000 && allowed > compared / 20 && allowed < compared / 2, `${allowed} of ${compared}`);
});

test('the table and the oracle agree on random cases', (t) => {
  const seed = Number(process.env.ROWHOUSE_TEST_SEED ?? Date.now() % 1_000_000_000);
  t.diagnostic(`ROWHOUSE_TEST_SEED=${seed}`);
  const random = seeded(seed);
  for (let number = 0; number < 100_000; number++) {
    const actor = someActor(random);
    const operation = random.pick(operations);
    const target = someTarget(random, actor);
    const answer = permitted(actor, operation, target);
    if (answer === mayDo(actor, operation, target)) continue;
    assert.fail(`${operation} is ${answer ? 'permitted' : 'refused'}: ${JSON.stringify({ actor, target })}`);
  }
});

function someActor(random: Random): Actor {
  if (random.chance(0.02)) return { kind: 'operator' };
  if (random.chance(0.02)) return { kind: 'administrator', administratorId: 1, account: 'root', address: null };
  const memberships = someMemberships(random).map((held) => ({ ...held, groupName: '', roleName: '' }));
  return { kind: 'user', companyId: 1, userId: 1 + random.below(3), account: 'a', memberships, address: null };
}

function someMemberships(random: Random) {
  // Few memberships more often, because with many nearly everything is permitted.
  const count = random.pick([0, 1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => ({ groupId: random.pick(groupIds), roleId: random.pick(roleIds) }));
}

function someTarget(random: Random, actor: Actor): PermissionTarget {
  const own = actor.kind === 'user' ? actor.memberships.map(({ groupId }) => groupId) : [];
  const group = () => (own.length > 0 && random.chance(0.5) ? random.pick(own) : random.pick(groupIds));
  const memberships = someMemberships(random).map((held) =>
    random.chance(0.5) ? { ...held, groupId: group() } : held,
  );
  return {
    companyId: random.chance(0.9) ? 1 : random.pick([2, null]),
    ...(random.chance(0.6)
      ? { application: { groupIds: random.some(groupIds, random.below(4)), recordAccess: random.pick(accesses) } }
      : {}),
    ...(random.chance(0.6) ? { groupId: group() } : {}),
    ...(random.chance(0.5) ? { roleId: random.pick(roleIds) } : {}),
    ...(random.chance(0.7) ? { user: { id: random.pick([1, 2, 3, null]), memberships } } : {}),
  };
}

test('each operation names a permission of the table; one with reach on applications has the application in its path', () => {
  /** The feature decides which part of the list is visible. */
  const lists = ['listApplications'];
  for (const { surface, name, path, permission } of registered) {
    if (permission === null) continue;
    assert.ok(permission in permissions, `${name}: ${permission}`);
    const reaches = Object.values(permissions[permission as PermittedOperation].holders);
    const isNamed = surface === 'client' || path.includes(':appId') || lists.includes(name);
    const isOfApplications = reaches.includes('application') || reaches.includes('granted');
    assert.ok(isNamed || !isOfApplications, `${name}: no application for ${permission}`);
  }
});

test('nobody in a company can raise their own rank', () => {
  for (const roleId of roleIds.filter((id) => id !== 2)) {
    for (const given of [1, 2, 3]) {
      for (const groupId of [own, other]) {
        const target = {
          companyId: 1,
          groupId,
          roleId: given,
          user: { id: 7, memberships: [{ groupId: own, roleId }] },
        };
        assert.equal(permitted(holder(roleId), 'membership.change', target), false, `role ${roleId} gives ${given}`);
      }
    }
  }
});

test('objects of another company do not exist, those of the own company are not permitted', () => {
  const refusal = (companyId: number | null) => {
    try {
      requirePermission(holder(5), 'company.read', { companyId });
      return null;
    } catch (error) {
      return error instanceof ServiceError ? [error.reason, error.message] : error;
    }
  };
  assert.deepEqual(refusal(2), [130, 'There is no company 2.']);
  assert.deepEqual(refusal(1), [
    'forbidden',
    'Not permitted with the roles of this user: to see the company and its quotas.',
  ]);
  assert.equal((refusal(null) as unknown[])[0], 'forbidden');
});

test('a list is limited to the groups in which the role is held', () => {
  const memberships = [
    { groupId: 3, groupName: '', roleId: 3, roleName: '' },
    { groupId: 1, groupName: '', roleId: 4, roleName: '' },
    { groupId: 2, groupName: '', roleId: 5, roleName: '' },
  ];
  assert.deepEqual(groupsInReach({ ...holder(), memberships }, 'user.read'), [1, 3]);
  assert.deepEqual(groupsInReach({ ...holder(), memberships }, 'user.update'), [3]);
  assert.deepEqual(groupsInReach(holder(5), 'user.read'), []);
  assert.equal(groupsInReach(holder(2), 'user.read'), 'all');
  assert.equal(groupsInReach({ kind: 'operator' }, 'user.read'), 'all');
});
