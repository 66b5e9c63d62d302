/** Roles: six built-in ones for everybody, and each company's own from id 100 (interface.md §2.5, decisions.md §4). */
import { malformed, shown } from '../errors.ts';
import { type DirectoryDatabase, notThere, requireCompany, writeOrExplain } from './ownership.ts';
import { checkedNameNotNumber, checkedOptionalName } from './text.ts';

export interface Role {
  readonly roleId: number;
  readonly roleName: string;
  readonly description: string;
  /** Null for a built-in role. */
  readonly companyId: number | null;
}

export interface Roles {
  /** The built-in roles and the company's own, by id. */
  list(companyId: number): Promise<Role[]>;
  find(companyId: number, roleId: number): Promise<Role | null>;
  byName(companyId: number, name: string): Promise<Role | null>;
  /** @throws ServiceError 130 for an unknown company, `malformed` when a role that the company sees has the name. */
  create(role: { readonly companyId: number; readonly name: string; readonly description?: string }): Promise<Role>;
  /** Changes what is given, of a company's own role. @throws ServiceError 130, `malformed` as `create`. */
  update(
    companyId: number,
    roleId: number,
    changes: { readonly name?: string; readonly description?: string },
  ): Promise<Role>;
}

export function openRoles(db: DirectoryDatabase): Roles {
  const all = (companyId: number) =>
    db.build
      .selectFrom('role')
      .select(['id as roleId', 'name as roleName', 'description', 'company_id as companyId'])
      .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)]));

  async function find(companyId: number, roleId: number): Promise<Role | null> {
    return (await db.read(all(companyId).where('id', '=', roleId)))[0] ?? null;
  }
  async function byName(companyId: number, name: string): Promise<Role | null> {
    return (await db.read(all(companyId).where('name', '=', name)))[0] ?? null;
  }
  const nameTaken = (name: string) => malformed('name', `there is a role ${shown(name)} already.`);

  return {
    find,
    byName,
    list: (companyId) => db.read(all(companyId).orderBy('id')),
    async create(role) {
      const { companyId } = role;
      const name = checkedNameNotNumber('name', role.name);
      const description = checkedOptionalName('description', role.description ?? '');
      if ((await byName(companyId, name)) !== null) throw nameTaken(name);
      const insert = db.build.insertInto('role').values({ company_id: companyId, name, description }).returning('id');
      const [written] = await writeOrExplain(db, [insert], async () => {
        await requireCompany(db, companyId);
        throw nameTaken(name);
      });
      return { roleId: Number(written?.rows[0]?.id), roleName: name, description, companyId };
    },
    async update(companyId, roleId, changes) {
      const present = await find(companyId, roleId);
      if (present === null) throw notThere('role', roleId, `company ${companyId}`);
      if (present.companyId === null) {
        throw malformed('role', `role ${roleId} is built in; only a company's own roles (from 100) can be changed.`);
      }
      const name = checkedNameNotNumber('name', changes.name ?? present.roleName);
      const description = checkedOptionalName('description', changes.description ?? present.description);
      const named = await byName(companyId, name);
      if (named !== null && named.roleId !== roleId) throw nameTaken(name);
      const update = db.build
        .updateTable('role')
        .set({ name, description })
        .where('id', '=', roleId)
        .where('company_id', '=', companyId);
      await writeOrExplain(db, [update], async () => {
        throw nameTaken(name);
      });
      return { roleId, roleName: name, description, companyId };
    },
  };
}
