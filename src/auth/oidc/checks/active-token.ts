/** 121: the header's token is one that serves. An expired one answers 121 too: Login does not list 120. */
import type { Refuse } from '../../chain.ts';
import { type FoundToken, findToken } from '../../token-rows.ts';
import { endOf, hasTokenForm, tokenHash } from '../../tokens.ts';
import type { LoginDeps, LoginRequest } from '../login.ts';

export async function activeToken(
  { db, environment }: Pick<LoginDeps, 'db' | 'environment'>,
  { request }: { readonly request: Pick<LoginRequest, 'headerToken'> },
  refuse: Refuse,
): Promise<{ readonly token: FoundToken }> {
  const { headerToken } = request;
  if (headerToken === undefined || headerToken === '') {
    throw refuse('service-token: expected a token in this header, got none.');
  }
  const token = hasTokenForm(headerToken) ? await findToken(db, tokenHash(headerToken)) : null;
  if (token === null || token.revoked || token.userGone) throw refuse('The token does not exist here.');
  if (environment.now() >= endOf(token)) throw refuse('The token has expired. Get a new anonymous token.');
  return { token };
}
