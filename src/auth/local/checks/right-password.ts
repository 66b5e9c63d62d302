/** 111: account and password belong together. */
import type { User } from '../../../directory/users.ts';
import type { Attempt } from '../../attempts.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-rows.ts';
import type { LocalLoginDeps, LocalLoginRequest } from '../login.ts';
import { userWithPassword } from '../users.ts';
import type { LocalLoginFields } from './all-fields.ts';

export async function rightPassword(
  deps: LocalLoginDeps,
  known: {
    readonly request: LocalLoginRequest;
    readonly fields: LocalLoginFields;
    readonly token: FoundToken;
    readonly attempt: Attempt;
  },
  refuse: Refuse,
): Promise<{ readonly user: User }> {
  const { request, fields, token, attempt } = known;
  const user = await userWithPassword(deps, token.companyId, fields.username, request.body.password);
  if (user === null) throw refuse('username, password: there is no such account with this password.');
  await deps.attempts.succeeded('password', attempt);
  return { user };
}
