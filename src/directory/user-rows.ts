/** Changes the row of a user and reads its password hash; all other modules do both through here. */
import type { Updateable } from 'kysely';
import type { DirectoryTables } from '../storage/tables.ts';
import type { DirectoryDatabase } from './ownership.ts';
import { inRevision } from './revisions.ts';

/** Changes the row, and increases its revision. @param basedOn the revision that must be present; any when absent */
export function changeUser(
  db: DirectoryDatabase,
  { companyId, id }: { readonly companyId: number; readonly id: number },
  columns: Omit<Updateable<DirectoryTables['user']>, 'id' | 'company_id' | 'revision' | 'created'>,
  basedOn?: number,
) {
  return db.build
    .updateTable('user')
    .set((row) => ({ ...columns, revision: row('revision', '+', 1) }))
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where(inRevision(basedOn));
}

/** Null for a user without a password, and for an unknown user. */
export async function passwordHashOf(db: DirectoryDatabase, userId: number): Promise<string | null> {
  const [row] = await db.read(db.build.selectFrom('user').select('password_hash').where('id', '=', userId));
  return row?.password_hash ?? null;
}

/** The same password, hashed anew; nothing happens where it was changed meanwhile. */
export function rehashPassword(db: DirectoryDatabase, userId: number, before: string | null, anew: string) {
  return db.build
    .updateTable('user')
    .set({ password_hash: anew })
    .where('id', '=', userId)
    .where('password_hash', '=', before);
}
