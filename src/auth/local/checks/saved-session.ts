/** 201: the session is saved; the last step, which makes the answer. */
import type { User } from '../../../directory/users.ts';
import type { FoundToken } from '../../token-rows.ts';
import { type AuthInfo, startSession } from '../../user-tokens.ts';
import type { LocalLoginDeps, LocalLoginRequest } from '../login.ts';

export async function savedSession(
  deps: LocalLoginDeps,
  known: { readonly token: FoundToken; readonly user: User; readonly request: LocalLoginRequest },
): Promise<{ readonly authInfo: AuthInfo }> {
  const { token, user, request } = known;
  const { companyId, appId, version, deviceUdid } = token;
  const session = { companyId, appId, version, deviceUdid, isPush: request.body.isPush === true };
  return { authInfo: await startSession(deps, session, user, { ...request.from, by: { by: 'password' } }) };
}
