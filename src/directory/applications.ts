/** Applications of a company: their key, the groups allowed to use them, and what happens to unknown accounts. */
import { hash } from 'node:crypto';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Environment } from '../environment.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
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
import { type Page, type PageFields, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, refuseOtherRevision } from './revisions.ts';
import { checkedName, checkedOrigins } from './text.ts';

export type AccountPolicy = 'refuse' | 'create';

export interface Application {
  readonly companyId: number;
  readonly appId: string;
  readonly name: string;
  /** SHA-256, hex; the key itself is not kept. */
  readonly appKeyHash: string;
  readonly disabled: boolean;
  /** What happens to an unknown identity at sign-in: refused, or an account made in the default group and role. */
  readonly accountPolicy: AccountPolicy;
  readonly defaultGroupId: number | null;
  readonly defaultRoleId: number | null;
  /** Whether its users may sign in with a password. */
  readonly localAccounts: boolean;
  /** Origins whose scripts may call. */
  readonly corsOrigins: readonly string[];
  readonly revision: number;
  /** Milliseconds. */
  readonly created: number;
}

export interface AccountDefaults {
  readonly accountPolicy: AccountPolicy;
  readonly defaultGroupId?: number;
  readonly defaultRoleId?: number;
}

export interface NewApplication extends Partial<AccountDefaults> {
  readonly companyId: number;
  readonly appId: string;
  /** The appId when absent. */
  readonly name?: string;
  /** 256 random bits, as hex, when absent. */
  readonly appKey?: string;
  readonly groupIds?: readonly number[];
  readonly localAccounts?: boolean;
  readonly corsOrigins?: readonly string[];
}

export interface ApplicationChanges {
  readonly name?: string;
  readonly disabled?: boolean;
  readonly accounts?: AccountDefaults;
  readonly localAccounts?: boolean;
  readonly corsOrigins?: readonly string[];
  /** All groups that may use it from now on; none means every group of the company. */
  readonly groupIds?: readonly number[];
  /** The one that the changes are based on. */
  readonly revision?: number;
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
  /**
   * Answers the key, which is shown this once.
   * @throws ServiceError 130 for an unknown company, group or role, `malformed` for a bad or taken appId.
   */
  create(application: NewApplication): Promise<{ readonly application: Application; readonly appKey: string }>;
  /** Changes what is given. @throws ServiceError 105, 130 as `create`, and 130 with 409 for another revision. */
  update(companyId: number, appId: string, changes: ApplicationChanges): Promise<Application>;
  /** The old key stops working at once; tokens stay valid. @throws ServiceError 105, 130 as `update`. */
  replaceKey(companyId: number, appId: string, appKey?: string, revision?: number): Promise<string>;
  /** Ids of the groups allowed to use the application, ascending; none means every group of the company. */
  groupIds(companyId: number, appId: string): Promise<number[]>;
  /** The same of every application of the company that has any. */
  groupIdsByApplication(companyId: number): Promise<ReadonlyMap<string, readonly number[]>>;
}

const fields: PageFields = {
  appId: { column: 'app_id', kind: 'text', key: true, sortable: true, filterable: true, searchable: true },
  name: { column: 'name', kind: 'text', sortable: true, filterable: true, searchable: true },
  disabled: { column: 'disabled', kind: 'flag', filterable: true },
  localAccounts: { column: 'local_accounts', kind: 'flag', filterable: true },
  created: { column: 'created', kind: 'whole', sortable: true },
};

/** What is stored of an app key. */
export function appKeyHash(appKey: string): string {
  return hash('sha256', appKey);
}

export function openApplications(db: DirectoryDatabase, environment: Environment): Applications {
  const all = (companyId: number) => db.build.selectFrom('application').selectAll().where('company_id', '=', companyId);

  async function find(companyId: number, appId: string): Promise<Application | null> {
    const [row] = await db.read(all(companyId).where('app_id', '=', appId));
    return row === undefined ? null : applicationOf(row);
  }
  async function found(companyId: number, appId: string): Promise<Application> {
    const application = await find(companyId, appId);
    if (application !== null) return application;
    await requireApplication(db, companyId, appId);
    throw changedMeanwhile();
  }
  async function groupIds(companyId: number, appId: string): Promise<number[]> {
    const rows = await db.read(
      db.build
        .selectFrom('app_group')
        .select('group_id')
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .orderBy('group_id'),
    );
    return rows.map((row) => row.group_id);
  }
  async function requireOwn(companyId: number, groups: readonly number[], accounts: Partial<AccountDefaults> = {}) {
    const { defaultGroupId, defaultRoleId } = accounts;
    for (const groupId of groups) await requireGroup(db, companyId, groupId);
    if (defaultGroupId !== undefined) await requireGroup(db, companyId, defaultGroupId);
    if (defaultRoleId !== undefined) await requireRole(db, companyId, defaultRoleId);
  }
  const change = (companyId: number, appId: string) =>
    db.build
      .updateTable('application')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('company_id', '=', companyId)
      .where('app_id', '=', appId);
  /** Does it to the application as it was found; another change meanwhile undoes it. */
  async function changeFound(
    { companyId, appId, revision }: Application,
    update: ReturnType<typeof change>,
    further: readonly WriteStatement[] = [],
    explain = nothing,
  ) {
    const unchanged = update.where('revision', '=', revision);
    await writeOrExplain(db, [expectOne(unchanged), ...further], async () => {
      refuseOtherRevision(called(appId), (await found(companyId, appId)).revision, revision);
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
  const accountColumns = (companyId: number, accounts: AccountDefaults, allowed: readonly number[]) => {
    checkAccounts(accounts, allowed);
    const { defaultGroupId, defaultRoleId } = accounts;
    return {
      account_policy: accounts.accountPolicy,
      default_group_id: defaultGroupId === undefined ? null : ownGroupId(db, companyId, defaultGroupId),
      default_role_id: defaultRoleId === undefined ? null : ownRoleId(db, companyId, defaultRoleId),
    };
  };

  return {
    find,
    groupIds,
    async groupIdsByApplication(companyId) {
      const rows = await db.read(
        db.build
          .selectFrom('app_group')
          .select(['app_id', 'group_id'])
          .where('company_id', '=', companyId)
          .orderBy('group_id'),
      );
      const byApplication = Map.groupBy(rows, ({ app_id }) => app_id);
      return new Map([...byApplication].map(([appId, groups]) => [appId, groups.map(({ group_id }) => group_id)]));
    },
    async list(companyId) {
      const rows = await listed(db.read(all(companyId).orderBy('app_id')), () => requireCompany(db, companyId));
      return rows.map(applicationOf);
    },
    async page(companyId, request, limits, usableBy) {
      const query = usableBy === undefined ? all(companyId) : all(companyId).where(usable(usableBy));
      const { results, count } = await page(db, query, fields, request, limits);
      if (count === 0) await requireCompany(db, companyId);
      return { results: results.map(applicationOf), count };
    },
    async create(application) {
      const { companyId } = application;
      const appId = checkedAppId(application.appId);
      const appKey = checkedKey(application.appKey) ?? environment.random(32).toString('hex');
      const groups = application.groupIds ?? [];
      const accounts = { ...application, accountPolicy: application.accountPolicy ?? 'refuse' };
      const insert = db.build.insertInto('application').values({
        company_id: companyId,
        app_id: appId,
        name: checkedName('name', application.name ?? appId),
        app_key_hash: appKeyHash(appKey),
        ...accountColumns(companyId, accounts, groups),
        local_accounts: Number(application.localAccounts ?? false),
        cors_origins: checkedOrigins('corsOrigins', application.corsOrigins ?? []).join(' '),
        created: environment.now(),
      });
      const statements = [insert, ...groups.map((groupId) => allow(companyId, appId, groupId))];
      await writeOrExplain(db, statements, async () => {
        await requireCompany(db, companyId);
        await requireOwn(companyId, groups, accounts);
        throw malformed('appId', `there is an application ${quoted(appId)} in company ${companyId} already.`);
      });
      return { application: await found(companyId, appId), appKey };
    },
    async update(companyId, appId, { revision, ...changes }) {
      const present = await found(companyId, appId);
      refuseOtherRevision(called(appId), present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const { accounts, groupIds: groups } = changes;
      const allowed = groups ?? (await groupIds(companyId, appId));
      if (accounts === undefined) refuseShutOut(present.defaultGroupId, allowed);
      const update = change(companyId, appId).set({
        name: checkedName('name', changes.name ?? present.name),
        disabled: Number(changes.disabled ?? present.disabled),
        local_accounts: Number(changes.localAccounts ?? present.localAccounts),
        cors_origins: checkedOrigins('corsOrigins', changes.corsOrigins ?? present.corsOrigins).join(' '),
        ...(accounts === undefined ? {} : accountColumns(companyId, accounts, allowed)),
      });
      const regroup =
        groups === undefined
          ? []
          : [deny(companyId, appId), ...groups.map((groupId) => allow(companyId, appId, groupId))];
      await changeFound(present, update, regroup, () => requireOwn(companyId, groups ?? [], accounts));
      return found(companyId, appId);
    },
    async replaceKey(companyId, appId, newKey, revision) {
      const appKey = checkedKey(newKey) ?? environment.random(32).toString('hex');
      const present = await found(companyId, appId);
      refuseOtherRevision(called(appId), present.revision, revision);
      await changeFound(present, change(companyId, appId).set({ app_key_hash: appKeyHash(appKey) }));
      return appKey;
    },
  };
}

/** One that has no groups may be used by every group. */
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

/** A new account needs both, and a group that may use the application, or it could never sign in. */
function checkAccounts(accounts: AccountDefaults, allowed: readonly number[]): void {
  const { accountPolicy, defaultGroupId, defaultRoleId } = accounts;
  if (accountPolicy === 'create' && (defaultGroupId === undefined || defaultRoleId === undefined)) {
    throw malformed('accounts', 'to create accounts at sign-in, a default group and a default role are required.');
  }
  refuseShutOut(defaultGroupId ?? null, allowed);
}

/** @param allowed groups that may use the application; none stands for all of them */
function refuseShutOut(defaultGroupId: number | null, allowed: readonly number[]): void {
  if (defaultGroupId === null || allowed.length === 0 || allowed.includes(defaultGroupId)) return;
  throw malformed(
    'group',
    `group ${defaultGroupId}, into which new accounts come, could not use the application; change one of the two first.`,
  );
}

function checkedAppId(appId: string): string {
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

function applicationOf(row: Selectable<DirectoryTables['application']>): Application {
  if (row.account_policy !== 'refuse' && row.account_policy !== 'create') {
    throw new ServiceError('internal', `application ${row.app_id}: unknown account policy in the directory.`);
  }
  return {
    companyId: row.company_id,
    appId: row.app_id,
    name: row.name,
    appKeyHash: row.app_key_hash,
    disabled: row.disabled === 1,
    accountPolicy: row.account_policy,
    defaultGroupId: row.default_group_id,
    defaultRoleId: row.default_role_id,
    localAccounts: row.local_accounts === 1,
    corsOrigins: row.cors_origins.split(' ').filter((origin) => origin !== ''),
    revision: row.revision,
    created: row.created,
  };
}
