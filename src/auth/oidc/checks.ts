/**
 * The checks of Login in their order (docs/reference/sign-in.md#the-order-of-logins-checks): one file each, named by what
 * it makes sure of.
 */
import { noChecks } from '../chain.ts';
import { acceptedCode } from './checks/accepted-code.ts';
import { activeToken } from './checks/active-token.ts';
import { allFields } from './checks/all-fields.ts';
import { allowedAccount } from './checks/allowed-account.ts';
import { existingVersion } from './checks/existing-version.ts';
import { knownClient } from './checks/known-client.ts';
import { openFlow } from './checks/open-flow.ts';
import { registeredDevice } from './checks/registered-device.ts';
import { rightState } from './checks/right-state.ts';
import { sameDevice } from './checks/same-device.ts';
import { sameIssuer } from './checks/same-issuer.ts';
import { sameTenant } from './checks/same-tenant.ts';
import { sameToken } from './checks/same-token.ts';
import { savedSession } from './checks/saved-session.ts';
import { validIdToken } from './checks/valid-id-token.ts';
import { wholeClaims } from './checks/whole-claims.ts';
import type { LoginDeps, LoginRequest } from './login.ts';

/** 117, the provider can't be reached, comes from the three that ask it: acceptedCode, validIdToken, wholeClaims. */
export const loginChecks = noChecks<LoginDeps, { readonly request: LoginRequest }>()
  .check(198, allFields)
  .check(121, activeToken)
  .check(112, sameToken)
  .check(104, sameTenant)
  .check(106, existingVersion)
  .check(160, sameDevice)
  .check(163, registeredDevice)
  .check(113, knownClient)
  .check(114, rightState)
  .check(115, openFlow)
  .check(115, sameIssuer)
  .check(111, acceptedCode)
  .check(116, validIdToken)
  .check(116, wholeClaims)
  .check(119, allowedAccount)
  .check(201, savedSession);
