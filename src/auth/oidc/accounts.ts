/**
 * Which account an identity has (decisions.md §3): (issuer, subject) names it. An unknown one is matched to an account
 * that was registered beforehand, by e-mail and only when the provider says that it is verified; else the application's
 * policy decides.
 */
import type { Application } from '../../directory/applications.ts';
import type { Directory } from '../../directory/directory.ts';
import type { GroupRole, User } from '../../directory/users.ts';
import { ServiceError } from '../../errors.ts';
import type { Relational } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import type { Claims } from './claims.ts';

export interface AccountRooms {
  readonly db: Relational<DirectoryTables>;
  readonly directory: Pick<Directory, 'users' | 'applications'>;
}

/** The user, or for the log why there is none. */
export type Account = { readonly user: User } | { readonly refused: string };

export async function accountOf(
  rooms: AccountRooms,
  { companyId, appId }: { readonly companyId: number; readonly appId: string },
  claims: Claims,
): Promise<Account> {
  const { users, applications } = rooms.directory;
  const known = await users.byIdentity(companyId, claims.issuer, claims.subject);
  if (known !== null) return allowed(rooms, appId, known);

  const { verifiedEmail } = claims;
  const registered = verifiedEmail === null ? null : await users.byEmail(companyId, verifiedEmail);
  if (registered !== null) return link(rooms, appId, registered, claims);

  const application = await applications.find(companyId, appId);
  if (application?.accountPolicy !== 'create') return { refused: 'the account is unknown' };
  return create(rooms, application, claims);
}

/** An application without groups is for every group of its company. */
async function allowed({ directory }: AccountRooms, appId: string, user: User): Promise<Account> {
  if (user.disabled) return { refused: 'the account is disabled' };
  const groupIds = await directory.applications.groupIds(user.companyId, appId);
  if (groupIds.length === 0) return { user };
  const memberships = await directory.users.memberships(user.id);
  const member = memberships.some((membership) => groupIds.includes(membership.groupId));
  return member ? { user } : { refused: 'the account is in no group of the application' };
}

/**
 * Links the identity to an account that may use the application. One that has an identity at this issuer already is
 * left alone: the same address with another subject is another person, who got the address later.
 */
async function link(rooms: AccountRooms, appId: string, user: User, claims: Claims): Promise<Account> {
  const account = await allowed(rooms, appId, user);
  if ('refused' in account) return account;
  const { issuer, subject } = claims;
  const atIssuer = await rooms.db.read(
    rooms.db.build
      .selectFrom('identity')
      .select('subject')
      .where('company_id', '=', user.companyId)
      .where('issuer', '=', issuer)
      .where('user_id', '=', user.id),
  );
  if (atIssuer.some((identity) => identity.subject !== subject)) {
    return { refused: 'the account with this e-mail has another identity at the provider' };
  }
  try {
    await rooms.directory.users.linkIdentity(user.id, { issuer, subject });
  } catch (error) {
    return lostRace(rooms, appId, user.companyId, claims, error);
  }
  return { user };
}

async function create(rooms: AccountRooms, application: Application, claims: Claims): Promise<Account> {
  const { companyId, appId, defaultGroupId, defaultRoleId } = application;
  const memberships: GroupRole[] =
    defaultGroupId === null || defaultRoleId === null ? [] : [{ groupId: defaultGroupId, roleId: defaultRoleId }];
  const { issuer, subject, verifiedEmail, firstName, lastName } = claims;
  const identity = { issuer, subject };
  try {
    const account = await accountName(rooms, companyId, claims);
    const user = { companyId, account, email: verifiedEmail, firstName, lastName, memberships, identity };
    return { user: await rooms.directory.users.create(user) };
  } catch (error) {
    return lostRace(rooms, appId, companyId, claims, error);
  }
}

/** The verified e-mail; where there is none, or another account is named so, the subject and the provider's host. */
async function accountName(rooms: AccountRooms, companyId: number, claims: Claims): Promise<string> {
  const { verifiedEmail, subject, issuer } = claims;
  const taken = verifiedEmail === null || (await rooms.directory.users.byAccount(companyId, verifiedEmail)) !== null;
  return taken ? `${subject}@${new URL(issuer).host}` : verifiedEmail;
}

/** Two first logins of one identity at once: the one that comes second finds the account of the first. */
async function lostRace(
  rooms: AccountRooms,
  appId: string,
  companyId: number,
  claims: Claims,
  error: unknown,
): Promise<Account> {
  if (!(error instanceof ServiceError) || error.reason === 'busy' || error.reason === 'internal') throw error;
  const winner = await rooms.directory.users.byIdentity(companyId, claims.issuer, claims.subject);
  return winner === null ? { refused: 'the account could not be made' } : allowed(rooms, appId, winner);
}
