/** 119: the user is not disabled, and in a group that may use the application. Told only to whoever knows the password. */
import type { User } from '../../../directory/users.ts';
import type { Refuse } from '../../chain.ts';
import { AccountRefused } from '../../refused.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LocalLoginDeps } from '../login.ts';

export async function allowedUser(
  deps: LocalLoginDeps,
  { token, user }: { readonly token: FoundToken; readonly user: User },
  refuse: Refuse,
): Promise<void> {
  const reason = await reasonAgainst(deps, token.appId, user);
  if (reason === null) return;
  throw refuse('The account is not allowed to use this application.', new AccountRefused(user.account, reason));
}

/** An application without groups is for every group of its company. */
async function reasonAgainst({ directory }: LocalLoginDeps, appId: string, user: User): Promise<string | null> {
  if (user.disabled) return 'the account is disabled';
  const { groupIds = [] } = (await directory.applications.find(user.companyId, appId)) ?? {};
  if (groupIds.length === 0) return null;
  const memberships = await directory.users.memberships(user.id);
  const isMember = memberships.some(({ groupId }) => groupIds.includes(groupId));
  return isMember ? null : 'the account is in no group of the application';
}
