/** Random questions on who may do what, answered by the table of the service and by an oracle of its own: no difference. */
import type { Actor } from '../../src/actor.ts';
import {
  type PermissionTarget,
  type PermittedOperation,
  permissions,
  permitted,
} from '../../src/administration/permissions.ts';
import { type Random, seeded } from '../machine/random.ts';
import type { Violation } from './history.ts';
import { mayDo } from './permissions/oracle.ts';
import type { Proof, Task } from './report.ts';

export interface PermissionTask extends Task {
  readonly cases: number;
}

export const operations = Object.keys(permissions) as PermittedOperation[];

/** Built-in roles, and a custom one. */
export const roleIds = [1, 2, 3, 4, 5, 6, 100];

const groupIds = [1, 2, 3, 4];
const reportedMax = 100;
const casesOfStep = 100_000;

export async function provePermissions({ cases, seed, progress }: PermissionTask): Promise<Proof> {
  const random = seeded(seed);
  const violations: Violation[] = [];
  let allowed = 0;
  for (let number = 1; number <= cases; number += 1) {
    const actor = someActor(random);
    const operation = random.pick(operations);
    const target = someTarget(random, actor);
    const answer = permitted(actor, operation, target);
    if (answer) allowed += 1;
    if (answer !== mayDo(actor, operation, target) && violations.length < reportedMax) {
      const message = `${operation} is ${answer ? 'permitted' : 'refused'}: ${JSON.stringify({ actor, target })}`;
      violations.push({ rule: 'permitted as decided', message });
    }
    if (number % casesOfStep === 0) progress(`${number} cases`);
  }
  const figures = [
    { name: 'cases', value: cases },
    { name: 'permitted', value: `${allowed} (${((100 * allowed) / cases).toFixed(1)} %)` },
    { name: 'differences', value: violations.length },
  ];
  return { figures, violations };
}

function someActor(random: Random): Actor {
  if (random.chance(0.02)) return { kind: 'operator' };
  if (random.chance(0.02)) return { kind: 'administrator', administratorId: 1, account: 'root', address: null };
  const memberships = someMemberships(random).map((held) => ({ ...held, groupName: '', roleName: '' }));
  return { kind: 'user', companyId: 1, userId: 1 + random.below(3), account: 'a', memberships, address: null };
}

function someMemberships(random: Random) {
  // One group and one role more often, since with many of them nearly everything is permitted.
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
    ...(random.chance(0.6) ? { application: { groupIds: random.some(groupIds, random.below(4)) } } : {}),
    ...(random.chance(0.6) ? { groupId: group() } : {}),
    ...(random.chance(0.5) ? { roleId: random.pick(roleIds) } : {}),
    ...(random.chance(0.7) ? { user: { id: random.pick([1, 2, 3, null]), memberships } } : {}),
  };
}
