/** Finds the user of a company by account and password. */
import type { Compilable } from 'kysely';
import type { Directory } from '../../directory/directory.ts';
import { passwordHashOf, rehashPassword } from '../../directory/user-rows.ts';
import type { User } from '../../directory/users.ts';
import type { Relational } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import { mayBePassword, type PasswordRules, type Passwords } from './passwords.ts';

export interface StoredPasswordDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: PasswordRules;
  readonly passwords: Passwords;
}

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

/** Whether it is the user's password; false for a user without one and for no user, after the same work. */
export async function isPasswordOf(deps: StoredPasswordDeps, userId: number, password: string): Promise<boolean> {
  const { db } = deps;
  const stored = await passwordHashOf(db, userId);
  return isRightPassword(deps, password, stored, (anew) => rehashPassword(db, userId, stored, anew));
}

/**
 * Whether a password matches the stored one; rehashes it if it was stored with outdated parameters.
 * @param stored null for an unknown account or one without a password; the check takes the same time
 * @param replace the statement that replaces this text, if it is unchanged
 */
export async function isRightPassword(
  { db, settings, passwords }: StoredPasswordDeps,
  password: string,
  stored: string | null,
  replace: (anew: string) => Compilable<unknown>,
): Promise<boolean> {
  const isPossible = mayBePassword(password, settings);
  const { right, outdated } = await passwords.verify(isPossible ? password : '', isPossible ? stored : null);
  if (right && outdated) await db.write([replace(await passwords.hash(password))]);
  return right;
}
