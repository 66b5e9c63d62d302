/** 119: the identity has, or gets, an account that may use the application (docs/reference/sign-in.md#accounts). */
import type { Client } from '../../../directory/clients.ts';
import type { User } from '../../../directory/users.ts';
import type { Refuse } from '../../chain.ts';
import { AccountRefused } from '../../refused.ts';
import type { FoundToken } from '../../token-rows.ts';
import { accountOf } from '../accounts.ts';
import type { Claims } from '../claims.ts';
import type { LoginDeps, LoginRequest } from '../login.ts';

export async function allowedAccount(
  deps: LoginDeps,
  known: {
    readonly token: FoundToken;
    readonly claims: Claims;
    readonly client: Client;
    readonly request: LoginRequest;
  },
  refuse: Refuse,
): Promise<{ readonly user: User }> {
  const { token, claims, client, request } = known;
  const { companyId, appId } = token;
  const { issuer } = claims;
  if (claims.elsewhere.length > 0) {
    deps.log.warn(
      { companyId, appId, issuer, claims: claims.elsewhere },
      'An identity provider does not list the groups of a user in the ID token; none of them count.',
    );
  }
  const account = await accountOf(deps, { companyId, appId, client, from: request.from }, claims);
  if ('user' in account) return account;
  const { providerName: provider } = client;
  deps.log.info({ companyId, appId, provider, issuer, reason: account.refused }, 'A sign-in was refused.');
  throw refuse(
    'The account is not allowed to use this application.',
    new AccountRefused(claims.verifiedEmail ?? claims.subject, account.refused),
  );
}
