/** 201: the session is saved; the last step, which makes the answer. */
import { expectOne } from '../../../directory/revisions.ts';
import type { User } from '../../../directory/users.ts';
import type { FoundToken } from '../../token-rows.ts';
import { type AuthInfo, startSession } from '../../user-tokens.ts';
import type { Claims } from '../claims.ts';
import type { LoginDeps, LoginRequest } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export async function savedSession(
  deps: LoginDeps,
  known: {
    readonly token: FoundToken;
    readonly fields: LoginFields;
    readonly user: User;
    readonly request: LoginRequest;
    readonly claims: Pick<Claims, 'issuer' | 'subject'>;
  },
): Promise<{ readonly authInfo: AuthInfo }> {
  const { token, fields, user, request, claims } = known;
  const { db } = deps;
  const { companyId, appId, version, deviceUdid } = token;
  const session = { companyId, appId, version, deviceUdid, isPush: fields.isPush };
  const signIn = { ...request.from, by: { provider: request.providerName } };
  // The account may have been relinked since it was looked up: no session of the former identity begins after that.
  const identity = db.build
    .selectFrom('identity')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('issuer', '=', claims.issuer)
    .where('subject', '=', claims.subject)
    .where('user_id', '=', user.id);
  return { authInfo: await startSession(deps, session, user, signIn, [expectOne(identity)]) };
}
