/** 201: the session is saved; the last step, which makes the answer. */
import type { User } from '../../../directory/users.ts';
import type { FoundToken } from '../../token-look-up.ts';
import { type AuthInfo, startSession } from '../../user-tokens.ts';
import type { LoginRequest, LoginRooms } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export async function savedSession(
  rooms: LoginRooms,
  known: {
    readonly token: FoundToken;
    readonly fields: LoginFields;
    readonly user: User;
    readonly request: LoginRequest;
  },
): Promise<{ readonly authInfo: AuthInfo }> {
  const { token, fields, user, request } = known;
  const { companyId, appId, version, deviceUdid } = token;
  const session = { companyId, appId, version, deviceUdid, isPush: fields.isPush };
  const signIn = { ...request.from, by: { provider: request.providerName } };
  return { authInfo: await startSession(rooms, session, user, signIn) };
}
