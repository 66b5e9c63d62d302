/** 111: the provider accepts the code. Sends it with the flow's verifier and redirect address; 117 when it can't be asked. */
import * as oauth from 'oauth4webapi';
import type { Client } from '../../../directory/clients.ts';
import { ServiceError } from '../../../errors.ts';
import type { Refuse } from '../../chain.ts';
import type { Flow } from '../flow.ts';
import type { LoginDeps } from '../login.ts';
import { type Provider, unreachable } from '../providers.ts';
import type { LoginFields } from './all-fields.ts';

export interface TokenAnswer {
  readonly provider: Provider;
  readonly oauthClient: oauth.Client;
  /** The token endpoint's answer with status 200, not judged yet. */
  readonly answer: Response;
}

/** Seconds that the provider's clock may differ from ours. */
const clockTolerance = 30;

export async function acceptedCode(
  deps: LoginDeps,
  known: {
    readonly fields: Pick<LoginFields, 'authzCode'>;
    readonly client: Pick<Client, 'secretSealed'>;
    readonly flow: Flow;
  },
  refuse: Refuse,
): Promise<TokenAnswer> {
  const { fields, client, flow } = known;
  const { environment, log } = deps;
  const provider = await deps.providers.find(flow.issuer);
  const oauthClient: oauth.Client = {
    client_id: flow.clientId,
    [oauth.clockSkew]: (environment.now() - Date.now()) / 1_000,
    [oauth.clockTolerance]: clockTolerance,
  };
  const authentication = authenticationOf(deps, provider.server, client);
  const answer = await askForTokens(provider, oauthClient, authentication, flow, fields.authzCode).catch((error) => {
    throw unreachable(log, flow.issuer, error);
  });
  if (answer.status !== 200) {
    const error = await errorOf(answer);
    log.warn({ issuer: flow.issuer, status: answer.status, error }, 'An identity provider refused a code.');
    throw refuse('authzCode: the identity provider refused the code. Authenticate again.');
  }
  return { provider, oauthClient, answer };
}

async function askForTokens(
  { server, http }: Provider,
  oauthClient: oauth.Client,
  authentication: oauth.ClientAuth,
  flow: Flow,
  code: string,
): Promise<Response> {
  // `state` and `iss` were checked before (114, 115); the interface has no field that `iss` must come in.
  const withoutIssuer = { ...server, authorization_response_iss_parameter_supported: false };
  const callback = oauth.validateAuthResponse(withoutIssuer, oauthClient, new URLSearchParams({ code }));
  return oauth.authorizationCodeGrantRequest(
    server,
    oauthClient,
    authentication,
    callback,
    flow.redirectUri,
    flow.codeVerifier,
    http,
  );
}

/** The provider's own choice of the two ways to send a secret; basic where it names none (OIDC Discovery §3). */
function authenticationOf(
  deps: LoginDeps,
  server: oauth.AuthorizationServer,
  client: Pick<Client, 'secretSealed'>,
): oauth.ClientAuth {
  if (client.secretSealed === null) return oauth.None();
  let secret: string;
  try {
    secret = deps.seal.open(client.secretSealed);
  } catch (cause) {
    throw new ServiceError(
      'internal',
      'The secret of this OIDC client can not be opened, so nobody can sign in with it: an administrator has to enter it anew.',
      { cause },
    );
  }
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

/** The OAuth error code (`invalid_grant`), for the log. */
async function errorOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null;
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'none';
}
