/** 112: header and body name the same token. */
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import { sameText, tokenHash } from '../../tokens.ts';
import type { LoginDeps } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export function sameToken(
  _deps: LoginDeps,
  { token, fields }: { readonly token: FoundToken; readonly fields: LoginFields },
  refuse: Refuse,
): void {
  if (!sameText(tokenHash(fields.authToken), token.hash)) {
    throw refuse('authToken: expected the token of the header service-token, got another one.');
  }
}
