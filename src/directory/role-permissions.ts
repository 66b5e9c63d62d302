/**
 * What custom roles grant on the tables of applications (docs/reference/roles.md#custom-roles): one row per role,
 * application and table.
 */
import { type Expression, sql } from 'kysely';
import { malformed, quoted } from '../errors.ts';
import { isName } from '../schema/names.ts';
import { isFolded } from './folded-text.ts';
import type { DirectoryDatabase } from './ownership.ts';
import { expectOne } from './revisions.ts';

export interface RolePermission {
  readonly appId: string;
  /** `*` stands for every table; the table need not be defined yet. */
  readonly table: string;
  readonly read: boolean;
  readonly add: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/** Ordered by application and table. */
export async function selectPermissions(db: DirectoryDatabase, roleId: number): Promise<RolePermission[]> {
  const rows = await db.read(
    db.build
      .selectFrom('role_permission')
      .select(['app_id', 'table_name', 'can_read', 'can_add', 'can_update', 'can_delete'])
      .where('role_id', '=', roleId)
      .orderBy('app_id')
      .orderBy('table_name'),
  );
  return rows.map((row) => ({
    appId: row.app_id,
    table: row.table_name,
    read: row.can_read === 1,
    add: row.can_add === 1,
    update: row.can_update === 1,
    delete: row.can_delete === 1,
  }));
}

/**
 * Names of the custom roles of a company that have rights to one of these tables of an application, in order. Rights go by the
 * table's name.
 */
export async function rolesNaming(
  db: DirectoryDatabase,
  companyId: number,
  appId: string,
  tables: readonly string[],
): Promise<string[]> {
  if (tables.length === 0) return [];
  const rows = await db.read(
    db.build
      .selectFrom('role_permission')
      .innerJoin('role', 'role.id', 'role_permission.role_id')
      .select('role.name')
      .distinct()
      .where('role.company_id', '=', companyId)
      .where('app_id', '=', appId)
      .where(({ or }) => or(tables.map((table) => isFolded('table_name', table))))
      .orderBy('role.name'),
  );
  return rows.map(({ name }) => name);
}

/**
 * Statements that roll the transaction back (`expectOne`) unless each application is the company's.
 * @param role selects the id of the role
 */
export function insertPermissions(
  db: DirectoryDatabase,
  companyId: number,
  role: Expression<{ id: number }>,
  permissions: readonly RolePermission[],
) {
  const { build } = db;
  const applications = [...new Set(permissions.map(({ appId }) => appId))].map((appId) =>
    expectOne(
      build.selectFrom('application').select('app_id').where('company_id', '=', companyId).where('app_id', '=', appId),
    ),
  );
  const rows = permissions.map((one) =>
    build.insertInto('role_permission').values({
      role_id: sql<number>`${role}`,
      app_id: one.appId,
      table_name: one.table,
      can_read: Number(one.read),
      can_add: Number(one.add),
      can_update: Number(one.update),
      can_delete: Number(one.delete),
    }),
  );
  return [...applications, ...rows];
}

/** @throws ServiceError `malformed` for an invalid table name, and for a table named twice */
export function checkPermissions(permissions: readonly RolePermission[]): void {
  const named = new Set<string>();
  for (const [index, { appId, table }] of permissions.entries()) {
    if (table !== '*' && !isName(table)) {
      throw malformed(`permissions[${index}].table`, `expected the name of a table, or *, got ${quoted(table)}.`);
    }
    // Table names are unique without regard to case, application names are not.
    const key = `${appId} ${table.toLowerCase()}`;
    if (named.has(key)) throw malformed(`permissions[${index}]`, `table ${quoted(table)} is named twice.`);
    named.add(key);
  }
}
