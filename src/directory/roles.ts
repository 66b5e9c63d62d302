/** Roles: six built-in ones for all, and each company's own from id 100 (docs/reference/roles.md#built-in-roles). */
import { given, type RowOf } from '../entities/entity.ts';
import { role } from '../entities/people.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import { type DirectoryDatabase, notThere, requireApplication, requireCompany, writeOrExplain } from './ownership.ts';
import type { Page, PageLimits, PageRequest } from './paging.ts';
import { expectOne, type Further, inRevision, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { checkPermissions, insertPermissions, type RolePermission, selectPermissions } from './role-permissions.ts';
import { pageOf, rowsOf } from './rows.ts';
import { checkedNameNotNumber } from './text.ts';

export type { RolePermission } from './role-permissions.ts';

export type Role = RowOf<typeof role>;

export interface RoleChanges {
  readonly name?: string;
  readonly description?: string;
  /** The role then grants exactly these: none if empty, and an unrestricted role becomes restricted. */
  readonly permissions?: readonly RolePermission[];
  /** The revision the changes are based on. */
  readonly revision?: number;
}

export interface Roles {
  /** The built-in roles and the company's own, by id. */
  list(companyId: number): Promise<Role[]>;
  /** A page of them. @throws ServiceError `malformed` as `page`. */
  page(companyId: number, request: PageRequest, limits: PageLimits): Promise<Page<Role>>;
  find(companyId: number, roleId: number): Promise<Role | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one. */
  get(companyId: number, roleId: number): Promise<Role>;
  byName(companyId: number, name: string): Promise<Role | null>;
  /** By application and table. @throws ServiceError 130 for an unknown role. */
  permissions(companyId: number, roleId: number): Promise<RolePermission[]>;
  /**
   * @throws ServiceError 130 for an unknown company, 105 for an unknown application, `malformed` when a built-in role
   * or one of the company has the name, and for bad permissions.
   */
  create(
    role: {
      readonly companyId: number;
      readonly name: string;
      readonly description?: string;
      /** What it grants; an empty list grants nothing. */
      readonly permissions: readonly RolePermission[];
    },
    further?: readonly WriteStatement[],
  ): Promise<Role>;
  /**
   * Changes given fields of a company's own role.
   * @throws ServiceError 130 (409 for another revision), else as `create`.
   */
  update(companyId: number, roleId: number, changes: RoleChanges, further?: Further<Role>): Promise<Role>;
  /**
   * @throws ServiceError 130 as `update`, `malformed` for a built-in role and for one in use or given to new accounts.
   */
  remove(companyId: number, roleId: number, revision?: number, further?: Further<Role>): Promise<void>;
}

const rows = rowsOf(role, { roleName: (_field, name) => checkedNameNotNumber('name', name) });

export function openRoles(db: DirectoryDatabase): Roles {
  const all = (companyId: number) =>
    db.build
      .selectFrom('role')
      .selectAll()
      .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)]));
  const one = async (query: ReturnType<typeof all>) => (await db.read(query)).map(rows.read)[0] ?? null;
  const find = (companyId: number, roleId: number) => one(all(companyId).where('id', '=', roleId));
  const byName = (companyId: number, name: string) => one(all(companyId).where('name', '=', name));

  async function get(companyId: number, roleId: number): Promise<Role> {
    const present = await find(companyId, roleId);
    if (present === null) throw notThere('role', roleId, `company ${companyId}`);
    return present;
  }
  async function ownRole(companyId: number, roleId: number): Promise<Role> {
    const present = await get(companyId, roleId);
    if (present.companyId !== null) return present;
    throw malformed('role', `role ${roleId} is built in; only a company's own roles (from 100) can be changed.`);
  }
  const nameTaken = (name: string) => malformed('name', `there is already a role ${quoted(name)}.`);
  async function refuseTaken(companyId: number, roleId: number | null, name: string): Promise<void> {
    const named = await byName(companyId, name);
    if (named !== null && named.roleId !== roleId) throw nameTaken(name);
  }
  async function requireApplications(companyId: number, permissions: readonly RolePermission[]): Promise<void> {
    for (const appId of new Set(permissions.map((one) => one.appId))) await requireApplication(db, companyId, appId);
  }
  const own = (companyId: number, roleId: number) =>
    db.build.selectFrom('role').select('id').where('id', '=', roleId).where('company_id', '=', companyId);

  return {
    find,
    get,
    byName,
    list: async (companyId) => (await db.read(all(companyId).orderBy('id'))).map(rows.read),
    page: (companyId, request, limits) => pageOf(db, rows, all(companyId), request, limits),
    async permissions(companyId, roleId) {
      await get(companyId, roleId);
      return selectPermissions(db, roleId);
    },
    async create({ companyId, name: roleName, permissions, ...described }, further = []) {
      const columns = rows.inserted({ companyId, roleName, ...described });
      const { name } = columns;
      await refuseTaken(companyId, null, name);
      checkPermissions(permissions);
      const insert = db.build.insertInto('role').values(columns).returning('id');
      const made = db.build
        .selectFrom('role')
        .select('id')
        .where('company_id', '=', companyId)
        .where('name', '=', name);
      const [written] = await writeOrExplain(
        db,
        [insert, ...insertPermissions(db, companyId, made, permissions), ...further],
        async () => {
          await requireCompany(db, companyId);
          await requireApplications(companyId, permissions);
          throw nameTaken(name);
        },
      );
      return get(companyId, Number(written?.rows[0]?.id));
    },
    async update(companyId, roleId, { name: roleName, description, permissions, revision }, further = nothingFurther) {
      const present = await ownRole(companyId, roleId);
      refuseOtherRevision(`role ${roleId}`, present.revision, revision);
      const unrestricted = permissions === undefined ? undefined : false;
      const columns = rows.changed(given({ roleName, description, unrestricted }));
      const { name = present.roleName } = columns;
      checkPermissions(permissions ?? []);
      await refuseTaken(companyId, roleId, name);
      const update = db.build
        .updateTable('role')
        .set((row) => ({ ...columns, revision: row('revision', '+', 1) }))
        .where('id', '=', roleId)
        .where('company_id', '=', companyId)
        .where(inRevision(revision));
      const statements = [
        expectOne(update),
        ...(permissions === undefined
          ? []
          : [
              db.build.deleteFrom('role_permission').where('role_id', '=', roleId),
              ...insertPermissions(db, companyId, own(companyId, roleId), permissions),
            ]),
        ...further(present),
      ];
      await writeOrExplain(db, statements, async () => {
        refuseOtherRevision(`role ${roleId}`, (await get(companyId, roleId)).revision, revision);
        await requireApplications(companyId, permissions ?? []);
        await refuseTaken(companyId, roleId, name);
      });
      return get(companyId, roleId);
    },
    async remove(companyId, roleId, revision, further = nothingFurther) {
      const present = await ownRole(companyId, roleId);
      refuseOtherRevision(`role ${roleId}`, present.revision, revision);
      const remove = db.build
        .deleteFrom('role')
        .where('id', '=', roleId)
        .where('company_id', '=', companyId)
        .where(inRevision(revision));
      await writeOrExplain(db, [expectOne(remove), ...further(present)], async () => {
        refuseOtherRevision(`role ${roleId}`, (await get(companyId, roleId)).revision, revision);
        await refuseNeeded(db, roleId);
      });
    },
  };
}

async function refuseNeeded(db: DirectoryDatabase, roleId: number): Promise<void> {
  const holders = await db.read(
    db.build.selectFrom('membership').select('user_id').distinct().where('role_id', '=', roleId),
  );
  if (holders.length > 0) throw malformed('role', `${holders.length} users hold it; remove it from them first.`);
  const [needing] = await db.read(
    db.build.selectFrom('application').select('app_id').where('default_role_id', '=', roleId).limit(1),
  );
  if (needing === undefined) return;
  throw malformed('role', `new accounts of application ${quoted(needing.app_id)} get it; change that first.`);
}
