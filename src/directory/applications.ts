/** Applications of a company: their key, the groups allowed to use them, and what happens to unknown accounts. */
import { hash } from 'node:crypto';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { application } from '../entities/tenants.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement, Written } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import {
  changedMeanwhile,
  type DirectoryDatabase,
  listed,
  ownGroupId,
  ownRoleId,
  requireApplication,
  requireCompany,
  requireGroup,
  requireRole,
  writeOrExplain,
} from './ownership.ts';
import { type Page, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, type Further, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { rowsOf } from './rows.ts';
import { checkedName, checkedOrigins } from './text.ts';

export type Application = RowOf<typeof application> & {
  /** Groups that may use it, ascending; none means every group of the company. */
  readonly groupIds: readonly number[];
};
export type AccountPolicy = Application['accountPolicy'];
export type ApplicationChanges = ChangesOf<typeof application>;

export interface NewApplication extends NewOf<typeof application> {
  readonly companyId: number;
  /** 256 random bits in hex when absent. */
  readonly appKey?: string;
}

export interface Applications {
  /** By appId. @throws ServiceError 130 for an unknown company. */
  list(companyId: number): Promise<Application[]>;
  /**
   * @param usableBy only applications that one of these groups may use
   * @throws ServiceError 130 as `list`, `malformed` as `page`
   */
  page(
    companyId: number,
    request: PageRequest,
    limits: PageLimits,
    usableBy?: readonly number[],
  ): Promise<Page<Application>>;
  find(companyId: number, appId: string): Promise<Application | null>;
  /** As `find`. @throws ServiceError 105 for an unknown one, 130 for an unknown company. */
  get(companyId: number, appId: string): Promise<Application>;
  /**
   * Returns the key, which is shown only this once.
   * @throws ServiceError 130 for an unknown company, group or role, `malformed` for a bad or taken appId.
   */
  create(
    application: NewApplication,
    further?: readonly WriteStatement[],
  ): Promise<{ readonly application: Application; readonly appKey: string }>;
  /** Changes the given fields. @throws ServiceError 105, 130 as `create`, and 130 with 409 for another revision. */
  update(
    companyId: number,
    appId: string,
    changes: ApplicationChanges,
    further?: Further<Application>,
  ): Promise<Application>;
  /** The old key stops working at once; tokens stay valid. @throws ServiceError 105, 130 as `update`. */
  replaceKey(
    companyId: number,
    appId: string,
    appKey?: string,
    revision?: number,
    further?: Further<Application>,
  ): Promise<string>;
}

/** How an app key is stored. */
export function appKeyHash(appKey: string): string {
  return hash('sha256', appKey);
}

type ApplicationRow = Selectable<DirectoryTables['application']>;

const rows = rowsOf(application, { appId: checkedAppId, name: checkedName, corsOrigins: checkedOrigins });

export function openApplications(db: DirectoryDatabase, environment: Environment): Applications {
  const all = (companyId: number) => db.build.selectFrom('application').selectAll().where('company_id', '=', companyId);

  /** In one read, which has a row for each of its groups. */
  async function find(companyId: number, appId: string): Promise<Application | null> {
    const found = await db.read(
      db.build
        .selectFrom('application as a')
        .leftJoin('app_group as g', (on) =>
          on.onRef('g.company_id', '=', 'a.company_id').onRef('g.app_id', '=', 'a.app_id'),
        )
        .selectAll('a')
        .select('g.group_id')
        .where('a.company_id', '=', companyId)
        .where('a.app_id', '=', appId)
        .orderBy('g.group_id'),
    );
    const groupIds = found.flatMap(({ group_id }) => group_id ?? []);
    return found[0] === undefined ? null : { ...rows.read(found[0]), groupIds };
  }
  async function get(companyId: number, appId: string): Promise<Application> {
    const application = await find(companyId, appId);
    if (application !== null) return application;
    await requireApplication(db, companyId, appId);
    throw changedMeanwhile();
  }
  async function withGroups(companyId: number, found: readonly ApplicationRow[]): Promise<Application[]> {
    const query = db.build.selectFrom('app_group').select(['app_id', 'group_id']).where('company_id', '=', companyId);
    const groups = Map.groupBy(await db.read(query.orderBy('group_id')), ({ app_id }) => app_id);
    const idsOf = ({ app_id }: ApplicationRow) => (groups.get(app_id) ?? []).map(({ group_id }) => group_id);
    return found.map((row) => ({ ...rows.read(row), groupIds: idsOf(row) }));
  }
  async function requireOwn(companyId: number, { groupIds = [], defaultGroupId, defaultRoleId }: ApplicationChanges) {
    for (const groupId of groupIds) await requireGroup(db, companyId, groupId);
    if (defaultGroupId != null) await requireGroup(db, companyId, defaultGroupId);
    if (defaultRoleId != null) await requireRole(db, companyId, defaultRoleId);
  }
  const change = (companyId: number, appId: string) =>
    db.build
      .updateTable('application')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('company_id', '=', companyId)
      .where('app_id', '=', appId)
      .returningAll();
  /** Updates the application as read; a concurrent change rolls it back. */
  function changeFound(
    { companyId, appId, revision }: Application,
    update: ReturnType<typeof change>,
    further: readonly WriteStatement[],
    explain = nothing,
  ): Promise<Written[]> {
    const unchanged = update.where('revision', '=', revision);
    return writeOrExplain(db, [expectOne(unchanged), ...further], async () => {
      refuseOtherRevision(called(appId), (await get(companyId, appId)).revision, revision);
      await explain();
    });
  }
  const allow = (companyId: number, appId: string, groupId: number) =>
    db.build
      .insertInto('app_group')
      .values({ company_id: companyId, app_id: appId, group_id: ownGroupId(db, companyId, groupId) })
      .onConflict((conflict) => conflict.doNothing());
  const deny = (companyId: number, appId: string) =>
    db.build.deleteFrom('app_group').where('company_id', '=', companyId).where('app_id', '=', appId);
  /** Other companies' ids become an unused id, which breaks the foreign key. */
  const ownDefaults = (companyId: number, { defaultGroupId, defaultRoleId }: ApplicationChanges) => ({
    ...(defaultGroupId == null ? {} : { default_group_id: ownGroupId(db, companyId, defaultGroupId) }),
    ...(defaultRoleId == null ? {} : { default_role_id: ownRoleId(db, companyId, defaultRoleId) }),
  });

  return {
    find,
    get,
    async list(companyId) {
      const applications = db.read(all(companyId).orderBy('app_id'));
      return withGroups(companyId, await listed(applications, () => requireCompany(db, companyId)));
    },
    async page(companyId, request, limits, usableBy) {
      const query = usableBy === undefined ? all(companyId) : all(companyId).where(usable(usableBy));
      const { results, count } = await page(db, query, rows.fields, request, limits);
      if (count === 0) await requireCompany(db, companyId);
      return { results: await withGroups(companyId, results), count };
    },
    async create({ appKey: wanted, groupIds: allowed = [], ...given }, further = []) {
      const { companyId, appId } = given;
      const appKey = checkedKey(wanted) ?? environment.random(32).toString('hex');
      checkAccounts({ accountPolicy: 'refuse', defaultGroupId: null, defaultRoleId: null, ...given }, allowed);
      const insert = db.build.insertInto('application').values({
        ...rows.inserted({ name: appId, ...given, appKeyHash: appKeyHash(appKey), created: environment.now() }),
        ...ownDefaults(companyId, given),
      });
      const statements = [insert, ...allowed.map((groupId) => allow(companyId, appId, groupId)), ...further];
      await writeOrExplain(db, statements, async () => {
        await requireCompany(db, companyId);
        await requireOwn(companyId, { groupIds: allowed, ...given });
        throw malformed('appId', `there is already an application ${quoted(appId)} in company ${companyId}.`);
      });
      return { application: await get(companyId, appId), appKey };
    },
    async update(companyId, appId, { revision, ...changes }, further = nothingFurther) {
      const present = await get(companyId, appId);
      refuseOtherRevision(called(appId), present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const { groupIds: groups } = changes;
      checkAccounts({ ...present, ...changes }, groups ?? present.groupIds);
      const columns = { ...rows.changed(changes), ...ownDefaults(companyId, changes) };
      const update = change(companyId, appId).set(columns);
      const regroup =
        groups === undefined
          ? []
          : [deny(companyId, appId), ...groups.map((groupId) => allow(companyId, appId, groupId))];
      const explain = () => requireOwn(companyId, changes);
      const [written] = await changeFound(present, update, [...regroup, ...further(present)], explain);
      const groupIds = [...new Set(groups ?? present.groupIds)].sort((a, b) => a - b);
      return { ...rows.read(written?.rows[0] as unknown as ApplicationRow), groupIds };
    },
    async replaceKey(companyId, appId, newKey, revision, further = nothingFurther) {
      const appKey = checkedKey(newKey) ?? environment.random(32).toString('hex');
      const present = await get(companyId, appId);
      refuseOtherRevision(called(appId), present.revision, revision);
      const replace = change(companyId, appId).set({ app_key_hash: appKeyHash(appKey) });
      await changeFound(present, replace, further(present));
      return appKey;
    },
  };
}

/** Whether the group may use it: without groups, every group may. */
function usable(groupIds: readonly number[]) {
  return ({ or, not, exists, selectFrom }: ExpressionBuilder<DirectoryTables, 'application'>) => {
    const groups = selectFrom('app_group as g')
      .select('g.group_id')
      .whereRef('g.company_id', '=', 'application.company_id')
      .whereRef('g.app_id', '=', 'application.app_id');
    // No group has the id 0; `IN ()` is invalid SQL.
    return or([not(exists(groups)), exists(groups.where('g.group_id', 'in', [0, ...groupIds]))]);
  };
}

function called(appId: string): string {
  return `application ${quoted(appId)}`;
}

async function nothing(): Promise<void> {}

type Accounts = Pick<Application, 'accountPolicy' | 'defaultGroupId' | 'defaultRoleId'>;

/**
 * A new account needs a role and a group that may use the application, or it could never sign in.
 * @param allowed groups that may use the application; empty means all of them
 */
function checkAccounts({ accountPolicy, defaultGroupId, defaultRoleId }: Accounts, allowed: readonly number[]): void {
  if (accountPolicy === 'create' && (defaultGroupId === null || defaultRoleId === null)) {
    throw malformed('accounts', 'to create accounts at sign-in, a default group and a default role are required.');
  }
  if (defaultGroupId === null || allowed.length === 0 || allowed.includes(defaultGroupId)) return;
  throw malformed(
    'group',
    `group ${defaultGroupId}, into which new accounts come, could not use the application; change one of the two first.`,
  );
}

function checkedAppId(_field: string, appId: string): string {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(appId) || /^\.+$/.test(appId)) {
    throw malformed('appId', `expected 1 to 100 letters, digits, ".", "_" or "-", got ${quoted(appId)}.`);
  }
  return appId;
}

function checkedKey(appKey: string | undefined): string | undefined {
  if (appKey !== undefined && !/^[\x21-\x7e]{8,200}$/.test(appKey)) {
    throw malformed('appKey', 'the key needs 8 to 200 printable ASCII characters without spaces.');
  }
  return appKey;
}
