/**
 * Finds the account of an identity (docs/reference/sign-in.md#accounts), which is named by (issuer, subject). An
 * unknown identity is matched to a registered account by e-mail, only if the provider says that it is verified;
 * otherwise the application's policy decides.
 */
import { hash } from 'node:crypto';
import { auditInsert } from '../../audit/trail.ts';
import type { Directory } from '../../directory/directory.ts';
import type { NewUser, User } from '../../directory/users.ts';
import { ServiceError } from '../../errors.ts';
import {
  type ClaimedDeps,
  existingMemberships,
  plannedStep,
  type SignInContext,
  sourceOf,
  takeStep,
} from './claimed.ts';
import type { Claims } from './claims.ts';

export interface AccountDeps extends ClaimedDeps {
  readonly directory: Pick<Directory, 'users' | 'applications'>;
}

/** The user, or why there is none, for the log. */
export type Account = { readonly user: User } | { readonly refused: string };

/** A longer subject is replaced by its hash in the account name. */
const subjectQuotedMax = 100;

export async function accountOf(deps: AccountDeps, context: SignInContext, claims: Claims): Promise<Account> {
  const { companyId } = context;
  const { users } = deps.directory;
  const known = await users.byIdentity(companyId, claims.issuer, claims.subject);
  if (known !== null) return keptInStep(deps, context, known, claims);

  const { verifiedEmail } = claims;
  const registered = verifiedEmail === null ? null : await users.byEmail(companyId, verifiedEmail);
  if (registered !== null) return link(deps, context, registered, claims);
  const account = await create(deps, context, claims);
  return 'refused' in account && claims.unverifiedEmail !== null
    ? { refused: `${account.refused}; ${notVerified}` }
    : account;
}

/** Why an address was not compared with those of registered accounts. */
export const notVerified = 'e-mail not verified: the provider does not report the address as verified';

/** A person who was removed from every group at the provider loses them here too, though the sign-in is refused. */
async function keptInStep(deps: AccountDeps, context: SignInContext, user: User, claims: Claims): Promise<Account> {
  if (user.disabled) return { refused: 'the account is disabled' };
  const step = await plannedStep(deps, context, user, claims);
  const inStep = await takeStep(deps, context, user, step);
  return (await serves(deps, context, step.groupIds))
    ? { user: inStep }
    : { refused: 'the account is in no group of the application' };
}

/** An application without groups is open to every group of its company. */
async function serves(deps: AccountDeps, context: SignInContext, groupIds: readonly number[]): Promise<boolean> {
  const application = await deps.directory.applications.find(context.companyId, context.appId);
  const allowed = application?.groupIds ?? [];
  return allowed.length === 0 || allowed.some((groupId) => groupIds.includes(groupId));
}

/**
 * Links the identity to an account that may use the application. An account with another identity at this issuer is
 * left alone: the same address with another subject is another person, who got the address later.
 */
async function link(deps: AccountDeps, context: SignInContext, user: User, claims: Claims): Promise<Account> {
  if (user.disabled) return { refused: 'the account is disabled' };
  const step = await plannedStep(deps, context, user, claims);
  if (!(await serves(deps, context, step.groupIds)))
    return { refused: 'the account is in no group of the application' };
  const { issuer, subject } = claims;
  const atIssuer = await deps.db.read(
    deps.db.build
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
    await deps.directory.users.linkIdentity(user.id, { issuer, subject });
  } catch (error) {
    return lostRace(deps, context, claims, error);
  }
  return { user: await takeStep(deps, context, user, step) };
}

/** In the groups of the claims; if these give none, in the application's default group. */
async function create(deps: AccountDeps, context: SignInContext, claims: Claims): Promise<Account> {
  const { companyId, appId, client } = context;
  const application = await deps.directory.applications.find(companyId, appId);
  const policy = client.accountPolicy ?? application?.accountPolicy;
  if (application === null || policy !== 'create') return { refused: 'the account is unknown' };
  const { defaultGroupId: groupId, defaultRoleId: roleId } = application;
  const claimed = await existingMemberships(deps, companyId, claims.memberships);
  const defaults = groupId === null || roleId === null ? [] : [{ groupId, roleId }];
  const source = sourceOf(context);
  const memberships = claimed.length > 0 ? claimed.map((membership) => ({ ...membership, source })) : defaults;
  const groupIds = memberships.map((membership) => membership.groupId);
  if (memberships.length === 0 || !(await serves(deps, context, groupIds))) {
    return { refused: 'a new account would be in no group of the application' };
  }
  const { issuer, subject, verifiedEmail: email, firstName, lastName } = claims;
  const identity = { issuer, subject };
  try {
    const account = await accountName(deps, companyId, claims);
    return {
      user: await createdBySignIn(deps, context, { account, email, firstName, lastName, memberships, identity }),
    };
  } catch (error) {
    return lostRace(deps, context, claims, error);
  }
}

/** With its entry in the audit trail, in the same transaction. */
function createdBySignIn(deps: AccountDeps, context: SignInContext, user: Omit<NewUser, 'companyId'>): Promise<User> {
  const { companyId, appId, client, from } = context;
  const entry = auditInsert(deps.db, {
    time: deps.environment.now(),
    actor: { kind: 'nobody', account: user.account, address: from.address },
    action: 'user.create',
    target: `user "${user.account}"`,
    companyId,
    appId,
    outcome: 'done',
    detail: { provider: client.providerName, memberships: user.memberships },
  });
  return deps.directory.users.create({ companyId, ...user }, [entry]);
}

/**
 * The account that the mapping names, or else the verified e-mail; if neither exists or the name is taken, the subject
 * and the provider's host.
 */
async function accountName(deps: AccountDeps, companyId: number, claims: Claims): Promise<string> {
  const { verifiedEmail, subject, issuer } = claims;
  // On the command line, an account of digits only could be mistaken for another user's id.
  const wanted = claims.account === '' || /^\d+$/.test(claims.account) ? verifiedEmail : claims.account;
  const taken = wanted === null || (await deps.directory.users.byAccount(companyId, wanted)) !== null;
  const short = subject.length > subjectQuotedMax ? hash('sha256', subject) : subject;
  return taken ? `${short}@${new URL(issuer).host}` : wanted;
}

/** Of two simultaneous first logins of one identity, the second finds the account of the first. */
async function lostRace(deps: AccountDeps, context: SignInContext, claims: Claims, error: unknown): Promise<Account> {
  if (!(error instanceof ServiceError) || error.reason === 'busy' || error.reason === 'internal') throw error;
  const winner = await deps.directory.users.byIdentity(context.companyId, claims.issuer, claims.subject);
  return winner === null ? { refused: 'the account could not be created' } : keptInStep(deps, context, winner, claims);
}
