/** Changes one's own password in a session of the administration. */
import type { Actor } from '../actor.ts';
import { ServiceError } from '../errors.ts';
import { setAdministratorPassword } from './administrators.ts';
import type { Administration } from './open.ts';
import { isOwnPassword } from './sign-in.ts';
import { setUserPassword } from './user-passwords.ts';

export interface OwnPassword {
  readonly current: string;
  readonly password: string;
  /** Of the session that goes on; all others end. */
  readonly cookie: string;
}

/** @throws ServiceError 111 the present password is wrong · `malformed` as `checkedPassword` · `tooMany` */
export async function changeOwnPassword(deps: Administration, actor: Actor, input: OwnPassword): Promise<void> {
  if (actor.kind === 'operator') throw new ServiceError('internal', 'The command line has no password.');
  const { current, password, cookie: exceptCookie } = input;
  const companyId = actor.kind === 'user' ? actor.companyId : undefined;
  const attempt = { address: actor.address, account: { companyId: companyId ?? 0, name: actor.account } };
  await deps.auth.attempts.guard('administration', attempt);
  if (!(await isOwnPassword(deps, { account: actor.account, password: current, companyId }))) {
    throw new ServiceError(111, 'current: this is not the current password.');
  }
  await deps.auth.attempts.succeeded('administration', attempt);
  if (actor.kind === 'administrator') {
    await setAdministratorPassword(deps, actor, actor.administratorId, { password, exceptCookie });
  } else {
    await setUserPassword(deps, actor, { companyId: actor.companyId, userId: actor.userId, password, exceptCookie });
  }
}
