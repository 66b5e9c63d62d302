/** 114: `authnState` is the SHA-1 of the token, hexadecimal in either case (docs/reference/sign-in.md#the-login-flow). */
import type { Refuse } from '../../chain.ts';
import { sameText } from '../../tokens.ts';
import { stateOf } from '../authenticate.ts';
import type { LoginDeps } from '../login.ts';
import type { LoginFields } from './all-fields.ts';

export function rightState(_deps: LoginDeps, { fields }: { readonly fields: LoginFields }, refuse: Refuse): void {
  if (!sameText(fields.authnState.toLowerCase(), stateOf(fields.authToken))) {
    throw refuse('authnState: it is not the SHA-1 of the token, in hexadecimal.');
  }
}
