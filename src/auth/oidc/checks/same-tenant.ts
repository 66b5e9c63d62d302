/** 104: the token is one of the company, application and version that path and body name. */
import { normalVersion } from '../../../directory/versions.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LoginRequest } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export function sameTenant(
  _deps: unknown,
  known: {
    readonly token: FoundToken;
    readonly fields: Pick<LoginFields, 'companyId' | 'appId' | 'appVersion'>;
    readonly request: Pick<LoginRequest, 'path'>;
  },
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
