/** The user of a company whom an account and a password name together. */
import type { Directory } from '../../directory/directory.ts';
import { passwordHashOf, rehashPassword } from '../../directory/user-rows.ts';
import type { User } from '../../directory/users.ts';
import { isRightPassword, type StoredPasswordDeps } from './stored-password.ts';

export interface PasswordUserDeps extends StoredPasswordDeps {
  readonly directory: Pick<Directory, 'users'>;
}

/**
 * The user, also a disabled one; null when account and password do not match. An unknown account and one without a
 * password are refused like a wrong password, after the same work.
 */
export async function userWithPassword(
  deps: PasswordUserDeps,
  companyId: number,
  account: string,
  password: string,
): Promise<User | null> {
  const user = await deps.directory.users.byAccount(companyId, account);
  return (await isPasswordOf(deps, user?.id ?? 0, password)) ? user : null;
}

/** Whether it is the user's password; false for a user without one and for none, after the same work. */
export async function isPasswordOf(deps: StoredPasswordDeps, userId: number, password: string): Promise<boolean> {
  const { db } = deps;
  const stored = await passwordHashOf(db, userId);
  return isRightPassword(deps, password, stored, (anew) => rehashPassword(db, userId, stored, anew));
}
