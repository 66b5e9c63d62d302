/** 201: the session is saved; the last step, which makes the answer. */
import type { User } from '../../../directory/users.ts';
import type { FoundToken } from '../../token-look-up.ts';
import { type AuthInfo, startSession } from '../../user-tokens.ts';
import type { LoginRooms } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export async function savedSession(
  rooms: LoginRooms,
  { token, fields, user }: { readonly token: FoundToken; readonly fields: LoginFields; readonly user: User },
): Promise<{ readonly authInfo: AuthInfo }> {
  const { companyId, appId, version, deviceUdid } = token;
  const session = { companyId, appId, version, deviceUdid, isPush: fields.isPush };
  return { authInfo: await startSession(rooms, session, user) };
}
