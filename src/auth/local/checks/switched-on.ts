/** 119: the application takes passwords. Asked before the password, so that nothing can be guessed where it does not. */
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LocalLoginDeps } from '../login.ts';

export async function switchedOn(
  { db }: LocalLoginDeps,
  { token }: { readonly token: FoundToken },
  refuse: Refuse,
): Promise<void> {
  const [application] = await db.read(
    db.build
      .selectFrom('application')
      .select('local_accounts')
      .where('company_id', '=', token.companyId)
      .where('app_id', '=', token.appId),
  );
  if (application?.local_accounts !== 1) throw refuse('The application takes no accounts with a password.');
}
