/**
 * Optimistic locks of the directory: a change names the revision that it was based on. Where that is not the row's any
 * more, or the row is not there, the whole transaction is undone, and with it its entry in the audit trail.
 */
import { type Compilable, type Expression, sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { DirectoryDatabase } from './ownership.ts';

/**
 * A statement that breaks a foreign key, and so the transaction (`writeOrExplain`), unless the query finds a row.
 * @param present selects the row that is to be changed, in the revision that the change was based on
 */
export function requirePresent(db: DirectoryDatabase, present: Expression<unknown>): Compilable<unknown> {
  return db.build
    .insertInto('membership')
    .columns(['user_id', 'group_id', 'role_id'])
    .expression(
      db.build
        .selectNoFrom([sql<number>`0`.as('user_id'), sql<number>`0`.as('group_id'), sql<number>`0`.as('role_id')])
        .where(({ not, exists }) => not(exists(present))),
    );
}

/** @throws ServiceError 130 with 409 when the revision that a change was based on is not the present one */
export function refuseOtherRevision(what: string, present: number, basedOn: number | undefined): void {
  if (basedOn === undefined || basedOn === present) return;
  throw new ServiceError(
    130,
    `revision: ${what} was changed by someone else: it has revision ${present}, and ${basedOn} came. Read it again.`,
    { status: 409 },
  );
}
