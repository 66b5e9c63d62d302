/** 119: the identity has, or gets, an account that may use the application (decisions.md §3). */
import type { User } from '../../../directory/users.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-look-up.ts';
import { accountOf } from '../accounts.ts';
import type { Claims } from '../claims.ts';
import type { LoginRooms } from '../login.ts';

export async function allowedAccount(
  rooms: LoginRooms,
  { token, claims }: { readonly token: FoundToken; readonly claims: Claims },
  refuse: Refuse,
): Promise<{ readonly user: User }> {
  const account = await accountOf(rooms, token, claims);
  if ('user' in account) return account;
  rooms.log.info(
    { companyId: token.companyId, appId: token.appId, issuer: claims.issuer, reason: account.refused },
    'A sign-in was refused.',
  );
  throw refuse('The account is not allowed to use this application.');
}
