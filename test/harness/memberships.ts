/** Gives a user of company 1 a role in a group, or removes the roles held there, for tests. */
import type { SourcedGroupRole, Users } from '../../src/directory/users.ts';

type Held = Pick<Users, 'memberships' | 'update'>;

/** A role that is already held keeps its position. */
export async function joinGroup(users: Held, userId: number, given: SourcedGroupRole): Promise<void> {
  const held = await users.memberships(userId);
  const at = held.findIndex(({ groupId, roleId }) => groupId === given.groupId && roleId === given.roleId);
  await users.update(1, userId, { memberships: at < 0 ? [...held, given] : held.with(at, { ...held[at]!, ...given }) });
}

/** @param left one role in the group, or all */
export async function leaveGroup(
  users: Held,
  userId: number,
  left: { readonly groupId: number; readonly roleId?: number },
): Promise<void> {
  const held = await users.memberships(userId);
  const kept = held.filter(
    ({ groupId, roleId }) => groupId !== left.groupId || (left.roleId !== undefined && roleId !== left.roleId),
  );
  await users.update(1, userId, { memberships: kept });
}
