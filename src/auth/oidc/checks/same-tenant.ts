/** 104: the token is one of the company, application and version that path and body name. */
import { normalVersion } from '../../../directory/versions.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-look-up.ts';
import type { LoginRequest, LoginRooms } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export function sameTenant(
  _rooms: LoginRooms,
  known: { readonly token: FoundToken; readonly fields: LoginFields; readonly request: LoginRequest },
  refuse: Refuse,
): void {
  const { token } = known;
  for (const { companyId, appId, appVersion } of [known.request.path, known.fields]) {
    const same =
      companyId.trim() === String(token.companyId) &&
      appId === token.appId &&
      normalVersion(appVersion) === token.version;
    if (!same) throw refuse('The token belongs to another company, application or version.');
  }
}
