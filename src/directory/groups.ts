/** Groups of users. Their ids are global and never reused, because records keep naming them. */
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { group } from '../entities/people.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import { keepSuperAdmin, refuseLastSuperAdmin } from './memberships.ts';
import { type DirectoryDatabase, listed, notThere, requireCompany, writeOrExplain } from './ownership.ts';
import type { Page, PageLimits, PageRequest } from './paging.ts';
import { expectOne, type Further, inRevision, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { pageOf, rowsOf } from './rows.ts';
import { checkedNameNotNumber } from './text.ts';

export type Group = RowOf<typeof group>;

export interface Groups {
  /** Of one company, by id. @throws ServiceError 130 for an unknown one. */
  list(companyId: number): Promise<Group[]>;
  /** @param within these groups only. @throws ServiceError `malformed` as `page`, 130 for an unknown company. */
  page(companyId: number, request: PageRequest, limits: PageLimits, within?: readonly number[]): Promise<Page<Group>>;
  find(companyId: number, groupId: number): Promise<Group | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one. */
  get(companyId: number, groupId: number): Promise<Group>;
  byName(companyId: number, name: string): Promise<Group | null>;
  /**
   * @param group.appId an application of the company that the group may use; one open to every group stays open
   * @throws ServiceError 130 for an unknown company, `malformed` when the name is taken.
   */
  create(group: NewGroup, further?: readonly WriteStatement[]): Promise<Group>;
  /**
   * Changes the given fields, and admits the group to `appId` as `create`.
   * @throws ServiceError 130 for an unknown group, and with 409 for another revision; `malformed` for a taken name.
   */
  update(companyId: number, groupId: number, changes: GroupChanges, further?: Further<Group>): Promise<Group>;
  /**
   * Its members lose their roles in it; records keep naming it.
   * @throws ServiceError 130 as `update`, `malformed` where the company would lose its last Super Admin, where it is
   * the only group that may use an application, and where new accounts are added to it.
   */
  remove(companyId: number, groupId: number, revision?: number, further?: Further<Group>): Promise<void>;
  /** The users in the group, once per role that they have there. */
  members(companyId: number, groupId: number): Promise<GroupMember[]>;
}

export interface NewGroup extends NewOf<typeof group> {
  readonly companyId: number;
  readonly appId?: string;
}

export interface GroupChanges extends ChangesOf<typeof group> {
  readonly appId?: string;
}

export interface GroupMember {
  readonly userId: number;
  readonly account: string;
  readonly roleId: number;
  readonly roleName: string;
}

const rows = rowsOf(group, { name: checkedNameNotNumber });

export function openGroups(db: DirectoryDatabase, environment: Environment): Groups {
  const all = (companyId: number) => db.build.selectFrom('user_group').selectAll().where('company_id', '=', companyId);
  const one = async (query: ReturnType<typeof all>) => (await db.read(query)).map(rows.read)[0] ?? null;
  const find = (companyId: number, groupId: number) => one(all(companyId).where('id', '=', groupId));
  const byName = (companyId: number, name: string) => one(all(companyId).where('name', '=', name));
  async function get(companyId: number, groupId: number): Promise<Group> {
    const present = await find(companyId, groupId);
    if (present === null) throw notThere('group', groupId, `company ${companyId}`);
    return present;
  }
  async function refuseTaken(companyId: number, groupId: number | null, name: string): Promise<void> {
    const named = await byName(companyId, name);
    if (named === null || named.id === groupId) return;
    throw malformed('name', `there is already a group ${quoted(name)} in company ${companyId}.`);
  }

  return {
    find,
    get,
    byName,
    async list(companyId) {
      const found = await listed(db.read(all(companyId).orderBy('id')), () => requireCompany(db, companyId));
      return found.map(rows.read);
    },
    async page(companyId, request, limits, within) {
      // No group has the id 0; `IN ()` is invalid SQL.
      const query = within === undefined ? all(companyId) : all(companyId).where('id', 'in', [0, ...within]);
      const found = await pageOf(db, rows, query, request, limits);
      if (found.count === 0) await requireCompany(db, companyId);
      return found;
    },
    async create({ appId, ...made }, further = []) {
      const { companyId } = made;
      const columns = rows.inserted({ ...made, created: environment.now() });
      const insert = db.build.insertInto('user_group').values(columns).returning('id');
      const admit = appId === undefined ? [] : [admitToApplication(db, companyId, columns.name, appId)];
      const [written] = await writeOrExplain(db, [insert, ...admit, ...further], async () => {
        await requireCompany(db, companyId);
        await refuseTaken(companyId, null, columns.name);
      });
      return get(companyId, Number(written?.rows[0]?.id));
    },
    async update(companyId, groupId, { revision, appId, ...changes }, further = nothingFurther) {
      const present = await get(companyId, groupId);
      refuseOtherRevision(`group ${groupId}`, present.revision, revision);
      const columns = rows.changed(changes);
      const { name = present.name } = columns;
      const update = db.build
        .updateTable('user_group')
        .set((row) => ({ ...columns, revision: row('revision', '+', 1) }))
        .where('id', '=', groupId)
        .where('company_id', '=', companyId)
        .where(inRevision(revision));
      const admit = appId === undefined ? [] : [admitToApplication(db, companyId, name, appId)];
      await writeOrExplain(db, [expectOne(update), ...admit, ...further(present)], async () => {
        refuseOtherRevision(`group ${groupId}`, (await get(companyId, groupId)).revision, revision);
        await refuseTaken(companyId, groupId, name);
      });
      return get(companyId, groupId);
    },
    async remove(companyId, groupId, revision, further = nothingFurther) {
      const present = await get(companyId, groupId);
      const remove = db.build
        .deleteFrom('user_group')
        .where('id', '=', groupId)
        .where('company_id', '=', companyId)
        .where(inRevision(revision));
      const statements = [
        keepSuperAdmin(db, companyId, { groupId }),
        keepApplicationsClosed(db, groupId),
        expectOne(remove),
        ...further(present),
      ];
      await writeOrExplain(db, statements, async () => {
        refuseOtherRevision(`group ${groupId}`, (await get(companyId, groupId)).revision, revision);
        await refuseLastSuperAdmin(db, companyId, { groupId });
        await refuseNeeded(db, groupId);
      });
    },
    async members(companyId, groupId) {
      await get(companyId, groupId);
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

/** Lets the group of this name use the application. An application without groups stays open to every group. */
function admitToApplication(db: DirectoryDatabase, companyId: number, name: string, appId: string) {
  const admitted = db.build
    .selectFrom('user_group')
    .innerJoin('app_group', 'app_group.company_id', 'user_group.company_id')
    .select(['app_group.company_id', 'app_group.app_id', 'user_group.id'])
    .where('user_group.company_id', '=', companyId)
    .where('user_group.name', '=', name)
    .where('app_group.app_id', '=', appId)
    .distinct();
  return db.build
    .insertInto('app_group')
    .columns(['company_id', 'app_id', 'group_id'])
    .expression(admitted)
    .onConflict((conflict) => conflict.columns(['company_id', 'app_id', 'group_id']).doNothing());
}

/** Applications that only this group may use: without it, every group could. */
function usedByThisOnly(db: DirectoryDatabase, groupId: number) {
  return db.build
    .selectFrom('app_group as own')
    .select('own.app_id as appId')
    .where('own.group_id', '=', groupId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('app_group as other')
            .select('other.group_id')
            .whereRef('other.company_id', '=', 'own.company_id')
            .whereRef('other.app_id', '=', 'own.app_id')
            .where('other.group_id', '<>', groupId),
        ),
      ),
    );
}

function keepApplicationsClosed(db: DirectoryDatabase, groupId: number) {
  const opened = usedByThisOnly(db, groupId);
  return expectOne(
    db.build.selectNoFrom(({ lit }) => lit(1).as('one')).where(({ not, exists }) => not(exists(opened))),
  );
}

async function refuseNeeded(db: DirectoryDatabase, groupId: number): Promise<void> {
  const [opened] = await db.read(usedByThisOnly(db, groupId).limit(1));
  if (opened !== undefined) {
    const app = quoted(opened.appId);
    throw malformed('group', `it is the only group that may use application ${app}; allow another one first.`);
  }
  const [needing] = await db.read(
    db.build.selectFrom('application').select('app_id').where('default_group_id', '=', groupId).limit(1),
  );
  if (needing === undefined) return;
  throw malformed('group', `new accounts of application ${quoted(needing.app_id)} come into it; change that first.`);
}
