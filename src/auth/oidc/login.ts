/**
 * Login: from the provider's code to a user token (docs/reference/operations.md#login). The checks and their order are in
 * `checks.ts`.
 */
import type { From } from '../../caller.ts';
import type { Settings } from '../../config.ts';
import type { Directory } from '../../directory/directory.ts';
import type { AuthLog } from '../log.ts';
import type { TenantPath } from '../sessions.ts';
import type { AuthInfo, UserTokenDeps } from '../user-tokens.ts';
import { loginChecks } from './checks.ts';
import type { FlowDeps } from './flow.ts';
import type { Providers } from './providers.ts';

export interface LoginInput {
  readonly companyId?: number | string | undefined;
  readonly appId?: string | undefined;
  /** Either form, `1.0.0` or `1_0_0`. */
  readonly appVersion?: string | undefined;
  readonly authToken?: string | undefined;
  readonly deviceUDID?: string | undefined;
  readonly isPush?: boolean | string | undefined;
  readonly clientId?: string | undefined;
  readonly authzCode?: string | undefined;
  readonly authnState?: string | undefined;
  /** Our addition: the `iss` parameter of the provider's redirect (RFC 9207), where the client forwards it. */
  readonly iss?: string | undefined;
}

export interface LoginRequest {
  readonly path: TenantPath;
  readonly providerName: string;
  readonly headerToken: string | undefined;
  readonly body: LoginInput;
  readonly from: From;
}

export interface LoginDeps extends FlowDeps, UserTokenDeps {
  readonly directory: Directory;
  readonly settings: Settings;
  readonly providers: Providers;
  readonly log: AuthLog;
}

/** @throws ServiceError with the code of the first check that refuses. */
export async function login(deps: LoginDeps, request: LoginRequest): Promise<AuthInfo> {
  const { authInfo } = await loginChecks.run(deps, { request });
  return authInfo;
}
