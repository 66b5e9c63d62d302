/**
 * Sign-in with account and password, for installations without a provider
 * (docs/reference/sign-in.md#accounts-with-a-password): off unless the application has it switched on. It requires no
 * registered device (163), since existing clients register none before it. Checks that Login also makes come in its
 * order (docs/reference/sign-in.md#the-order-of-logins-checks).
 */
import type { From } from '../../caller.ts';
import type { Directory } from '../../directory/directory.ts';
import type { User } from '../../directory/users.ts';
import type { Attempts } from '../attempts.ts';
import { noChecks } from '../chain.ts';
import { deviceTextMax, requiredField } from '../fields.ts';
import { AccountRefused } from '../refused.ts';
import type { TenantPath } from '../sessions.ts';
import { activeToken, existingVersion, sameDevice, sameTenant } from '../token-checks.ts';
import { type AuthInfo, startSession, type UserTokenDeps } from '../user-tokens.ts';
import { type StoredPasswordDeps, userWithPassword } from './users.ts';

export interface LocalLoginInput {
  readonly username: string;
  readonly password: string;
  readonly companyId: number | string;
  readonly appId: string;
  /** Either form, `1.0.0` or `1_0_0`. */
  readonly appVersion: string;
  readonly deviceUDID: string;
  readonly isPush?: boolean | undefined;
}

export interface LocalLoginRequest {
  readonly path: TenantPath;
  readonly headerToken: string | undefined;
  readonly body: LocalLoginInput;
  readonly from: From;
}

export interface LocalLoginDeps extends UserTokenDeps, StoredPasswordDeps {
  readonly db: UserTokenDeps['db'];
  readonly directory: Pick<Directory, 'applications' | 'users'>;
  readonly settings: UserTokenDeps['settings'] & StoredPasswordDeps['settings'];
  readonly attempts: Pick<Attempts, 'guard' | 'succeeded'>;
}

/** @throws ServiceError with the code of the first check that refuses. */
export async function localLogin(deps: LocalLoginDeps, request: LocalLoginRequest): Promise<AuthInfo> {
  const { authInfo } = await localLoginChecks.run(deps, { request });
  return authInfo;
}

const localLoginChecks = noChecks<LocalLoginDeps, { readonly request: LocalLoginRequest }>()
  // Every field is there, and of a form that can be looked up.
  .check(198, (_deps, { request }) => ({ fields: fieldsOf(request.body) }))
  .check(121, activeToken)
  .check(104, sameTenant)
  .check(106, existingVersion)
  .check(160, sameDevice)
  // The application takes passwords. Checked before the password, so that none can be guessed where it does not.
  .check(119, async ({ directory }, { token }, refuse) => {
    const application = await directory.applications.find(token.companyId, token.appId);
    if (application?.localAccounts !== true) throw refuse('The application accepts no passwords.');
    return { application };
  })
  // With 429: neither the address nor the account has made too many attempts (`auth/attempts.ts`). Requests refused by
  // an earlier check tried no password and must not count against the account.
  .check(201, async ({ attempts }, { request, fields, token }) => {
    const account = { companyId: token.companyId, name: fields.username };
    const attempt = { address: request.from.address, account };
    await attempts.guard('password', attempt);
    return { attempt };
  })
  // Account and password belong together.
  .check(111, async (deps, { request, fields, token, attempt }, refuse) => {
    const user = await userWithPassword(deps, token.companyId, fields.username, request.body.password);
    if (user === null) throw refuse('username, password: there is no such account with this password.');
    await deps.attempts.succeeded('password', attempt);
    return { user };
  })
  // The user is not disabled, and in a group that may use the application. Revealed only to those who know the
  // password.
  .check(119, async (deps, { application, user }, refuse) => {
    const reason = await reasonAgainst(deps, application.groupIds, user);
    if (reason === null) return;
    throw refuse('The account is not allowed to use this application.', new AccountRefused(user.account, reason));
  })
  // The session is saved; the last step, which makes the answer.
  .check(201, async (deps, { token, user, request }) => {
    const { companyId, appId, version, deviceUdid } = token;
    const session = { companyId, appId, version, deviceUdid, isPush: request.body.isPush === true };
    return { authInfo: await startSession(deps, session, user, { ...request.from, by: { by: 'password' } }) };
  });

/** No account name (`directory/text.ts`) or application id is longer. */
const nameLengthMax = 200;

function fieldsOf({ username, companyId, appId, appVersion, deviceUDID }: LocalLoginInput) {
  return {
    username: requiredField('username', username.trim(), nameLengthMax),
    companyId: requiredField('companyId', String(companyId), nameLengthMax),
    appId: requiredField('appId', appId, nameLengthMax),
    appVersion: requiredField('appVersion', appVersion, nameLengthMax),
    deviceUDID: requiredField('deviceUDID', deviceUDID, deviceTextMax),
  };
}

/** @param groupIds the groups that may use the application; none means every group of its company */
async function reasonAgainst(
  { directory }: LocalLoginDeps,
  groupIds: readonly number[],
  user: User,
): Promise<string | null> {
  if (user.disabled) return 'the account is disabled';
  if (groupIds.length === 0) return null;
  const memberships = await directory.users.memberships(user.id);
  const isMember = memberships.some(({ groupId }) => groupIds.includes(groupId));
  return isMember ? null : 'the account is in no group of the application';
}
