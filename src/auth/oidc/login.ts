/**
 * Login: from the provider's code to a user token (docs/reference/operations.md#login). Its checks stand in their order
 * (docs/reference/sign-in.md#the-order-of-logins-checks), each with its code.
 */
import type { From } from '../../caller.ts';
import type { Directory } from '../../directory/directory.ts';
import { expectOne } from '../../directory/revisions.ts';
import { noChecks, type Refuse } from '../chain.ts';
import { deviceExists } from '../devices.ts';
import { AccountRefused } from '../refused.ts';
import type { TenantPath } from '../sessions.ts';
import { activeToken, existingVersion, sameDevice, sameTenant } from '../token-checks.ts';
import { sameText, tokenHash } from '../tokens.ts';
import { type AuthInfo, startSession, type UserTokenDeps } from '../user-tokens.ts';
import { accountOf } from './accounts.ts';
import { stateOf } from './addresses.ts';
import { type FlowDeps, takeFlow } from './flow.ts';
import { acceptedCode, type ProviderCheckDeps, validIdToken, wholeClaims } from './provider-checks.ts';

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

export interface LoginDeps extends FlowDeps, UserTokenDeps, ProviderCheckDeps {
  readonly directory: Pick<Directory, 'applications' | 'clients' | 'users'>;
  readonly environment: FlowDeps['environment'];
  readonly seal: FlowDeps['seal'];
}

/** @throws ServiceError with the code of the first check that refuses. */
export async function login(deps: LoginDeps, request: LoginRequest): Promise<AuthInfo> {
  const { authInfo } = await loginChecks.run(deps, { request });
  return authInfo;
}

/**
 * 117 (the provider can't be reached) is thrown by the three checks that call it: acceptedCode, validIdToken,
 * wholeClaims.
 */
export const loginChecks = noChecks<LoginDeps, { readonly request: LoginRequest }>()
  // Every field that the interface requires is present and of a sensible length.
  .check(198, (_deps, { request }, refuse) => ({ fields: fieldsOf(request.body, refuse) }))
  .check(121, activeToken)
  // Header and body name the same token.
  .check(112, (_deps, { token, fields }, refuse) => {
    if (sameText(tokenHash(fields.authToken), token.hash)) return;
    throw refuse('authToken: expected the token of the header service-token, got another one.');
  })
  .check(104, sameTenant)
  .check(106, existingVersion)
  .check(160, sameDevice)
  // The device was registered for the application (docs/reference/sign-in.md#the-way-to-a-user-token, step 2).
  .check(163, async ({ db }, { token }, refuse) => {
    if (await deviceExists(db, token.companyId, token.appId, token.deviceUdid)) return;
    throw refuse('deviceUDID: the device is not registered. Register it before the login.');
  })
  // The application has this client at the provider that the path names.
  .check(113, async ({ directory }, { token, fields, request }, refuse) => {
    const client = await directory.clients.find(token.companyId, token.appId, request.providerName, fields.clientId);
    if (client === null) throw refuse('clientId: the application has no such client at this provider.');
    return { client };
  })
  // The SHA-1 of the token, hexadecimal in either case (docs/reference/sign-in.md#the-login-flow).
  .check(114, (_deps, { fields }, refuse) => {
    if (sameText(fields.authnState.toLowerCase(), stateOf(fields.authToken))) return;
    throw refuse('authnState: it is not the SHA-1 of the token, in hexadecimal.');
  })
  // A flow is under way for this token and client. It is taken before the provider is asked, so that a code is tried once.
  .check(115, async (deps, { token, client }, refuse) => {
    const flow = await takeFlow(deps, token.hash, client);
    if (flow === null)
      throw refuse('No login flow is under way for this token, or it expired or was used. Authenticate again.');
    // The secret and the claim mapping belong to the current issuer; an earlier one must get neither.
    if (flow.issuer !== client.issuer) throw refuse('The issuer of the provider has changed. Authenticate again.');
    return { flow };
  })
  // A forwarded `iss` names the provider that the flow went to (RFC 9207). It is optional: Login has no field for it.
  .check(115, (_deps, { request: { body }, flow }, refuse) => {
    if (body.iss === undefined || body.iss === '' || URL.parse(body.iss)?.href === new URL(flow.issuer).href) return;
    throw refuse('iss: the current login flow is with another provider. Authenticate again.');
  })
  .check(111, acceptedCode)
  .check(116, validIdToken)
  .check(116, wholeClaims)
  // The identity has, or gets, an account that may use the application (docs/reference/sign-in.md#accounts).
  .check(119, async (deps, { token, claims, client, request: { from } }, refuse) => {
    const { companyId, appId } = token;
    const { issuer, elsewhere } = claims;
    if (elsewhere.length > 0) {
      deps.log.warn(
        { companyId, appId, issuer, claims: elsewhere },
        'An identity provider does not list the groups of a user in the ID token; the user gets none from claims.',
      );
    }
    const account = await accountOf(deps, { companyId, appId, client, from }, claims);
    if ('user' in account) return account;
    const { providerName: provider } = client;
    deps.log.info({ companyId, appId, provider, issuer, reason: account.refused }, 'A sign-in was refused.');
    throw refuse(
      'The account is not allowed to use this application.',
      new AccountRefused(claims.verifiedEmail ?? claims.subject, account.refused),
    );
  })
  // The session is saved; the last step, which makes the answer.
  .check(201, async (deps, { token, fields, user, request, claims: { issuer, subject } }) => {
    const { companyId, appId, version, deviceUdid } = token;
    const session = { companyId, appId, version, deviceUdid, isPush: fields.isPush };
    const signIn = { ...request.from, by: { provider: request.providerName } };
    // The account may have been relinked since it was looked up: then no session of the former identity may begin.
    const identity = deps.db.build
      .selectFrom('identity')
      .select('user_id')
      .where('company_id', '=', companyId)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .where('user_id', '=', user.id);
    return { authInfo: await startSession(deps, session, user, signIn, [expectOne(identity)]) };
  });

/** Some providers' codes have two thousand characters. */
const fieldLengthMax = 8_192;

/** As text, whatever their form in the request. */
function fieldsOf(body: LoginInput, refuse: Refuse) {
  const required = (field: Exclude<keyof LoginInput, 'iss'>): string => {
    const value = body[field];
    if (value === undefined || value === '') throw refuse(`${field}: expected a value, got none.`);
    const text = String(value);
    if (text.length > fieldLengthMax) {
      throw refuse(`${field}: expected at most ${fieldLengthMax} characters, got ${text.length}.`);
    }
    return text;
  };
  return {
    companyId: required('companyId'),
    appId: required('appId'),
    appVersion: required('appVersion'),
    authToken: required('authToken'),
    deviceUDID: required('deviceUDID'),
    isPush: required('isPush').toLowerCase() === 'true',
    clientId: required('clientId'),
    authzCode: required('authzCode'),
    authnState: required('authnState'),
  };
}
