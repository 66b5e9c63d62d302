/**
 * The checks of the sign-in with a password in their order, which is Login's
 * (docs/reference/sign-in.md#the-order-of-logins-checks) as far as they have the same.
 */
import { noChecks } from '../chain.ts';
import { activeToken } from '../oidc/checks/active-token.ts';
import { existingVersion } from '../oidc/checks/existing-version.ts';
import { sameDevice } from '../oidc/checks/same-device.ts';
import { sameTenant } from '../oidc/checks/same-tenant.ts';
import { allFields } from './checks/all-fields.ts';
import { allowedUser } from './checks/allowed-user.ts';
import { fewAttempts } from './checks/few-attempts.ts';
import { rightPassword } from './checks/right-password.ts';
import { savedSession } from './checks/saved-session.ts';
import { switchedOn } from './checks/switched-on.ts';
import type { LocalLoginDeps, LocalLoginRequest } from './login.ts';

export const localLoginChecks = noChecks<LocalLoginDeps, { readonly request: LocalLoginRequest }>()
  .check(198, allFields)
  .check(121, activeToken)
  .check(104, sameTenant)
  .check(106, existingVersion)
  .check(160, sameDevice)
  .check(119, switchedOn)
  .check(201, fewAttempts)
  .check(111, rightPassword)
  .check(119, allowedUser)
  .check(201, savedSession);
