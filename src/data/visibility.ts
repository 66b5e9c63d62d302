/**
 * Which audiences a caller belongs to (docs/reference/queries.md#visibility): only here does a caller become a filter.
 */
import type { Caller } from '../caller.ts';
import { membersOf, type Scope } from '../schema/audience.ts';

/**
 * Whose request it is: a user, or an administrator (`administration/record-access.ts`), for whom `sees` says what takes the place
 * of the audiences that a user belongs to.
 */
export interface Requester
  extends Pick<Caller, 'companyId' | 'spaceId' | 'userId' | 'groupIds' | 'memberships' | 'tableRights'> {
  /** The version whose queries are counted; absent for an administrator. */
  readonly appVersion?: string;
  readonly sees?: typeof everything | readonly string[];
  /** The administrator who asks, whoever's eyes they look with: cursors are theirs alone. */
  readonly askedBy?: string;
  /** Who the history says wrote it; `userId`, who owns what is added, where it is absent. */
  readonly writerId?: number;
  /** Whom errors are about; the one who asks where it is absent. `the company`: an administrator, who is in none of its groups. */
  readonly subject?: 'the user' | 'the owner' | 'the company';
}

/** Why a record may not be given to the group. */
export function notInGroup({ subject }: Pick<Requester, 'subject'>, groupId: number): string {
  if (subject === 'the company') return `the company has no group ${groupId}.`;
  return `${subject === undefined ? 'you are' : `${subject} is`} not in group ${groupId}.`;
}

/** Every record of the data space, whoever owns it. Only for reading. */
export const everything = 'everything';

const all = new WeakMap<Requester, readonly string[]>();

/** Everything that the caller may see. */
export function membersOfCaller(caller: Requester): readonly string[] {
  const { sees } = caller;
  if (sees !== undefined) return sees === everything ? [] : sees;
  let members = all.get(caller);
  if (members === undefined) {
    members = membersOf(caller.userId, caller.groupIds);
    all.set(caller, members);
  }
  return members;
}

/** The same, narrowed by the older query's `scope`, which does not apply to administrators. */
export function membersWithin(caller: Requester, reach: Scope): readonly string[] {
  if (caller.sees !== undefined) return membersOfCaller(caller);
  return membersOf(caller.userId, caller.groupIds, reach);
}
