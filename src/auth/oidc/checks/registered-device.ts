/** 163: the device was registered for the application (docs/reference/sign-in.md#the-way-to-a-user-token, step 2). */
import type { Refuse } from '../../chain.ts';
import { deviceExists } from '../../devices.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LoginDeps } from '../login.ts';

export async function registeredDevice(
  { db }: LoginDeps,
  { token }: { readonly token: FoundToken },
  refuse: Refuse,
): Promise<void> {
  if (!(await deviceExists(db, token.companyId, token.appId, token.deviceUdid))) {
    throw refuse('deviceUDID: the device is not registered. Register it before the login.');
  }
}
