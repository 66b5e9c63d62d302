/** 111: account and password belong together. */
import type { User } from '../../../directory/users.ts';
import type { Attempt } from '../../attempts.ts';
import type { Refuse } from '../../chain.ts';
import type { FoundToken } from '../../token-look-up.ts';
import type { LocalLoginRequest, LocalLoginRooms } from '../login.ts';
import { userWithPassword } from '../users.ts';
import type { LocalLoginFields } from './all-fields.ts';

export async function rightPassword(
  rooms: LocalLoginRooms,
  known: {
    readonly request: LocalLoginRequest;
    readonly fields: LocalLoginFields;
    readonly token: FoundToken;
    readonly attempt: Attempt;
  },
  refuse: Refuse,
): Promise<{ readonly user: User }> {
  const { request, fields, token, attempt } = known;
  const user = await userWithPassword(rooms, token.companyId, fields.username, request.body.password);
  if (user === null) throw refuse('username, password: there is no such account with this password.');
  await rooms.attempts.succeeded('password', attempt);
  return { user };
}
