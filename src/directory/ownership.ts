/**
 * Ownership by a company: SQL that yields no id for another company's row, so that a link to it breaks the foreign key
 * and rolls back the transaction, and the error that explains it afterwards.
 */
import { sql } from 'kysely';
import { quoted, ServiceError } from '../errors.ts';
import {
  ForeignKeyViolation,
  type Relational,
  UniqueViolation,
  UnmetExpectation,
  type WriteStatement,
  type Written,
} from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';

export type DirectoryDatabase = Relational<DirectoryTables>;

/** No row has this id. */
const noId = 0;

/** The group's id when it is a group of the company. */
export function ownGroupId(db: DirectoryDatabase, companyId: number, groupId: number) {
  const own = db.build
    .selectFrom('user_group')
    .select('id')
    .where('id', '=', groupId)
    .where('company_id', '=', companyId);
  return sql<number>`coalesce(${own}, ${noId})`;
}

/** The role's id when it is built in or the company's own. */
export function ownRoleId(db: DirectoryDatabase, companyId: number, roleId: number) {
  const own = db.build
    .selectFrom('role')
    .select('id')
    .where('id', '=', roleId)
    .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)]));
  return sql<number>`coalesce(${own}, ${noId})`;
}

/**
 * Writes in one transaction. When the database refuses, `explain` finds the reason and throws it.
 * @throws ServiceError from `explain`, else `malformed`: the rows changed between the two.
 */
export async function writeOrExplain(
  db: DirectoryDatabase,
  statements: readonly WriteStatement[],
  explain: () => Promise<void>,
): Promise<Written[]> {
  try {
    return await db.write(statements);
  } catch (cause) {
    if (![UniqueViolation, ForeignKeyViolation, UnmetExpectation].some((kind) => cause instanceof kind)) throw cause;
    await explain();
    throw changedMeanwhile(cause);
  }
}

export function changedMeanwhile(cause?: unknown): ServiceError {
  return new ServiceError('malformed', 'The directory was changed by someone else at this moment. Try again.', {
    cause,
  });
}

/** The error for an unknown id or name; the same for one of another company. */
export function notThere(what: string, value: unknown, container?: string): ServiceError {
  return new ServiceError(
    130,
    `There is no ${what} ${quoted(value)}${container === undefined ? '' : ` in ${container}`}.`,
  );
}

/** A list; when it is empty, `requireOwner` first checks that its owner exists. */
export async function listed<Row>(rows: Promise<Row[]>, requireOwner: () => Promise<void>): Promise<Row[]> {
  const list = await rows;
  if (list.length === 0) await requireOwner();
  return list;
}

export async function requireCompany(db: DirectoryDatabase, companyId: number): Promise<void> {
  const rows = await db.read(db.build.selectFrom('company').select('id').where('id', '=', companyId));
  if (rows.length === 0) throw notThere('company', companyId);
}

export async function requireApplication(db: DirectoryDatabase, companyId: number, appId: string): Promise<void> {
  const rows = await db.read(
    db.build.selectFrom('application').select('app_id').where('company_id', '=', companyId).where('app_id', '=', appId),
  );
  if (rows.length > 0) return;
  await requireCompany(db, companyId);
  throw new ServiceError(105, `There is no application ${quoted(appId)} in company ${companyId}.`);
}

export async function requireGroup(db: DirectoryDatabase, companyId: number, groupId: number): Promise<void> {
  const rows = await db.read(
    db.build.selectFrom('user_group').select('id').where('id', '=', groupId).where('company_id', '=', companyId),
  );
  if (rows.length === 0) throw notThere('group', groupId, `company ${companyId}`);
}

export async function requireRole(db: DirectoryDatabase, companyId: number, roleId: number): Promise<void> {
  const rows = await db.read(
    db.build
      .selectFrom('role')
      .select('id')
      .where('id', '=', roleId)
      .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)])),
  );
  if (rows.length === 0) throw notThere('role', roleId, `company ${companyId}`);
}
