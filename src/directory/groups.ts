/** Groups of users: their ids are global and never used again, because records keep naming them. */
import type { Environment } from '../environment.ts';
import { malformed, shown } from '../errors.ts';
import { type DirectoryDatabase, listed, notThere, requireCompany, writeOrExplain } from './ownership.ts';
import { checkedNameNotNumber } from './text.ts';

export interface Group {
  readonly id: number;
  readonly companyId: number;
  readonly name: string;
}

export interface Groups {
  /** Of one company, by id. @throws ServiceError 130 for an unknown one. */
  list(companyId: number): Promise<Group[]>;
  find(companyId: number, groupId: number): Promise<Group | null>;
  byName(companyId: number, name: string): Promise<Group | null>;
  /** @throws ServiceError 130 for an unknown company, `malformed` when the name is taken. */
  create(group: { readonly companyId: number; readonly name: string }): Promise<Group>;
  /** @throws ServiceError 130 for an unknown group, `malformed` when the name is taken. */
  rename(companyId: number, groupId: number, name: string): Promise<Group>;
  /** The users in the group, once per role that they hold there. */
  members(companyId: number, groupId: number): Promise<GroupMember[]>;
}

export interface GroupMember {
  readonly userId: number;
  readonly account: string;
  readonly roleId: number;
  readonly roleName: string;
}

export function openGroups(db: DirectoryDatabase, environment: Environment): Groups {
  const all = (companyId: number) =>
    db.build
      .selectFrom('user_group')
      .select(['id', 'company_id as companyId', 'name'])
      .where('company_id', '=', companyId);

  async function find(companyId: number, groupId: number): Promise<Group | null> {
    return (await db.read(all(companyId).where('id', '=', groupId)))[0] ?? null;
  }
  const nameTaken = (companyId: number, name: string) => async () => {
    await requireCompany(db, companyId);
    throw malformed('name', `there is a group ${shown(name)} in company ${companyId} already.`);
  };

  return {
    find,
    list: (companyId) => listed(db.read(all(companyId).orderBy('id')), () => requireCompany(db, companyId)),
    async byName(companyId, name) {
      return (await db.read(all(companyId).where('name', '=', name)))[0] ?? null;
    },
    async create(group) {
      const { companyId } = group;
      const name = checkedNameNotNumber('name', group.name);
      const insert = db.build
        .insertInto('user_group')
        .values({ company_id: companyId, name, created: environment.now() })
        .returning('id');
      const [written] = await writeOrExplain(db, [insert], nameTaken(companyId, name));
      return { id: Number(written?.rows[0]?.id), companyId, name };
    },
    async rename(companyId, groupId, newName) {
      const name = checkedNameNotNumber('name', newName);
      const update = db.build
        .updateTable('user_group')
        .set({ name })
        .where('id', '=', groupId)
        .where('company_id', '=', companyId);
      const [written] = await writeOrExplain(db, [update], nameTaken(companyId, name));
      if (written?.changed !== 1) throw notThere('group', groupId, `company ${companyId}`);
      return { id: groupId, companyId, name };
    },
    async members(companyId, groupId) {
      if ((await find(companyId, groupId)) === null) throw notThere('group', groupId, `company ${companyId}`);
      return db.read(
        db.build
          .selectFrom('membership')
          .innerJoin('user', 'user.id', 'membership.user_id')
          .innerJoin('role', 'role.id', 'membership.role_id')
          .select(['user.id as userId', 'user.account', 'role.id as roleId', 'role.name as roleName'])
          .where('membership.group_id', '=', groupId)
          .orderBy('user.id')
          .orderBy('role.id'),
      );
    },
  };
}
