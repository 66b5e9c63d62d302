/**
 * Optimistic locks of the directory: a change names the revision that it was based on. If the row has another revision
 * or is missing, the whole transaction is rolled back, including its entry in the audit trail.
 */
import { type Compilable, type SqlBool, sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';

/** Rolls the transaction back (`writeOrExplain`) unless the statement finds or changes exactly one row. */
export function expectOne(statement: Compilable<unknown>): WriteStatement {
  return { compile: () => statement.compile(), expect: { rows: 1 } };
}

/** True for a row of this revision; for every row if the change names none. */
export function inRevision(basedOn: number | undefined) {
  return sql<SqlBool>`revision = coalesce(${basedOn ?? null}, revision)`;
}

/**
 * Makes statements for the transaction of a change, such as its audit entry, from the row before the change. Not called
 * when nothing changes.
 */
export type Further<Row> = (present: Row) => readonly WriteStatement[];

export function nothingFurther(): readonly WriteStatement[] {
  return [];
}

/** @throws ServiceError 130 with 409 when the change was based on another revision than the present one */
export function refuseOtherRevision(what: string, present: number, basedOn: number | undefined): void {
  if (basedOn === undefined || basedOn === present) return;
  throw new ServiceError(
    130,
    `revision: ${what} was changed by someone else: expected revision ${present}, got ${basedOn}. Read it again.`,
    { status: 409 },
  );
}
