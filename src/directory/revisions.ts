/**
 * Optimistic locks of the directory: a change names the revision that it was based on. Where that is not the row's any
 * more, or the row is not there, the whole transaction is undone, and with it its entry in the audit trail.
 */
import { type Compilable, type SqlBool, sql } from 'kysely';
import { ServiceError } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';

/** The transaction is undone (`writeOrExplain`) unless the statement finds or changes just one row. */
export function expectOne(statement: Compilable<unknown>): WriteStatement {
  return { compile: () => statement.compile(), expect: { rows: 1 } };
}

/** True of a row in this revision; of every row where the change names none. */
export function inRevision(basedOn: number | undefined) {
  return sql<SqlBool>`revision = coalesce(${basedOn ?? null}, revision)`;
}

/**
 * Statements for the transaction of a change, such as its entry in the audit trail, made for the row as the change found
 * it. They are not asked for where nothing changes.
 */
export type Further<Row> = (present: Row) => readonly WriteStatement[];

export function nothingFurther(): readonly WriteStatement[] {
  return [];
}

/** @throws ServiceError 130 with 409 when the revision that a change was based on is not the present one */
export function refuseOtherRevision(what: string, present: number, basedOn: number | undefined): void {
  if (basedOn === undefined || basedOn === present) return;
  throw new ServiceError(
    130,
    `revision: ${what} was changed by someone else: expected revision ${present}, got ${basedOn}. Read it again.`,
    { status: 409 },
  );
}
