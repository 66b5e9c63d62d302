/** 106: the application version is there, and not disabled (nor its application or company). */
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';

export function existingVersion(_deps: unknown, { token }: { readonly token: FoundToken }, refuse: Refuse): void {
  if (token.appDisabled) throw refuse('There is no such application version.');
}
