/** 198: every field is there, and of a form that can be looked up. */
import { deviceTextMax, requiredField } from '../../fields.ts';
import type { LocalLoginDeps, LocalLoginRequest } from '../login.ts';

export interface LocalLoginFields {
  readonly username: string;
  readonly companyId: string;
  readonly appId: string;
  readonly appVersion: string;
  readonly deviceUDID: string;
}

/** No account name is longer (`directory/text.ts`), and no application id. */
const nameLengthMax = 200;

export function allFields(
  _deps: LocalLoginDeps,
  { request }: { readonly request: LocalLoginRequest },
): { readonly fields: LocalLoginFields } {
  const { username, companyId, appId, appVersion, deviceUDID } = request.body;
  return {
    fields: {
      username: requiredField('username', username.trim(), nameLengthMax),
      companyId: requiredField('companyId', String(companyId), nameLengthMax),
      appId: requiredField('appId', appId, nameLengthMax),
      appVersion: requiredField('appVersion', appVersion, nameLengthMax),
      deviceUDID: requiredField('deviceUDID', deviceUDID, deviceTextMax),
    },
  };
}
