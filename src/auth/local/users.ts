/** The user of a company whom an account and a password name together. */
import type { Directory } from '../../directory/directory.ts';
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
  const { db, directory } = deps;
  const user = await directory.users.byAccount(companyId, account);
  const id = user?.id ?? 0;
  const [row] = await db.read(db.build.selectFrom('user').select('password_hash').where('id', '=', id));
  const stored = row?.password_hash ?? null;
  const change = db.build.updateTable('user').where('id', '=', id).where('password_hash', '=', stored);
  const right = await isRightPassword(deps, password, stored, (anew) => change.set({ password_hash: anew }));
  return right ? user : null;
}
