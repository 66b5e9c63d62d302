/** Asks whether a password is the stored one, and stores it anew where it was stored with earlier parameters. */
import type { Compilable } from 'kysely';
import type { Relational } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import { mayBePassword, type PasswordRules } from './password-rules.ts';
import type { Passwords } from './passwords.ts';

export interface StoredPasswordDeps {
  readonly db: Relational<DirectoryTables>;
  readonly settings: PasswordRules;
  readonly passwords: Passwords;
}

/**
 * @param stored null for an unknown account or one without a password; the check takes the same time
 * @param replace the statement that puts a new text in the place of this one, if it is still there
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
