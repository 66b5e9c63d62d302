/**
 * Sign-in with account and password, for installations without a provider
 * (docs/reference/sign-in.md#accounts-with-a-password): off unless the application has it switched on. It asks for no
 * registered device (163), since clients in the field register none before it.
 */
import type { From } from '../../caller.ts';
import type { Directory } from '../../directory/directory.ts';
import type { Attempts } from '../attempts.ts';
import type { TenantPath } from '../sessions.ts';
import type { AuthInfo, UserTokenDeps } from '../user-tokens.ts';
import { localLoginChecks } from './checks.ts';
import type { PasswordRules } from './password-rules.ts';
import type { Passwords } from './passwords.ts';

export interface LocalLoginInput {
  readonly username: string;
  readonly password: string;
  readonly companyId: number | string;
  readonly appId: string;
  /** Either form, `1.0.0` or `1_0_0`. */
  readonly appVersion: string;
  readonly deviceUDID: string;
  readonly isPush?: boolean | undefined;
}

export interface LocalLoginRequest {
  readonly path: TenantPath;
  readonly headerToken: string | undefined;
  readonly body: LocalLoginInput;
  readonly from: From;
}

export interface LocalLoginDeps extends UserTokenDeps {
  readonly directory: Directory;
  readonly settings: UserTokenDeps['settings'] & PasswordRules;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
}

/** @throws ServiceError with the code of the first check that refuses. */
export async function localLogin(deps: LocalLoginDeps, request: LocalLoginRequest): Promise<AuthInfo> {
  const { authInfo } = await localLoginChecks.run(deps, { request });
  return authInfo;
}
