/** Every operation of the administration interface. */
import { getMe } from './me.ts';
import type { AdminOperation } from './operation.ts';
import * as signIn from './sign-in.ts';

export const adminOperations: readonly AdminOperation[] = [
  signIn.setUp,
  signIn.signIn,
  signIn.beginProviderSignIn,
  signIn.getSession,
  signIn.signOut,
  signIn.changeOwnPassword,
  getMe,
];
