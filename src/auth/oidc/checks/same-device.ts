/** 160: the device is the one that the token was given to. */
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LoginFields } from './all-fields.ts';

export function sameDevice(
  _deps: unknown,
  { token, fields }: { readonly token: FoundToken; readonly fields: Pick<LoginFields, 'deviceUDID'> },
  refuse: Refuse,
): void {
  if (fields.deviceUDID !== token.deviceUdid) {
    throw refuse('deviceUDID: it is not the device that the token was given to.');
  }
}
