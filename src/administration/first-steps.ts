/**
 * The first steps of a company, and which are done, found in what it has. Nothing is noted, so a step is
 * open again when what it was done by is gone.
 */
import type { Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';
import { hasRecord } from './record-access.ts';

export interface FirstSteps {
  readonly application: boolean;
  /** Whether users can sign in: with a client at a provider, or with passwords stored here. */
  readonly provider: boolean;
  readonly table: boolean;
  /** Whether a user has signed in to an application. */
  readonly signIn: boolean;
  readonly record: boolean;
  /** The version for the next step: the newest with tables, otherwise the last one examined; null if there is none. */
  readonly appId: string | null;
  readonly version: string | null;
}

/** How many of the newest versions are searched for tables, and how many tables of all of them for records. */
const versionsMax = 50;
const tablesMax = 300;

/**
 * How many audit entries are searched for a sign-in whose session has ended: the newest ones, and the oldest ones, among which it
 * stays found.
 */
const entriesMax = { desc: 1_000, asc: 10_000 } as const;

/** @throws ServiceError `forbidden` · 130 unknown */
export async function findFirstSteps(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'company.read'>,
  companyId: number,
): Promise<FirstSteps> {
  await deps.directory.companies.get(companyId);
  const [application, provider, signIn, tables] = await Promise.all([
    newestApplication(deps, companyId),
    hasProvider(deps, companyId),
    hasSignIn(deps, companyId),
    findTables(deps, companyId),
  ]);
  const { appId = application, version = null, table, record } = tables;
  return { application: application !== null, provider, table, signIn, record, appId, version };
}

async function newestApplication({ storage }: Deps<'storage'>, companyId: number): Promise<string | null> {
  const { directory } = storage;
  const all = directory.build.selectFrom('application').select('app_id').where('company_id', '=', companyId);
  const newest = all.where('disabled', '=', 0);
  return (await directory.read(newest.orderBy('created', 'desc').limit(1)))[0]?.app_id ?? null;
}

async function hasProvider({ storage }: Deps<'storage'>, companyId: number): Promise<boolean> {
  const { directory } = storage;
  const { build } = directory;
  const enabled = build
    .selectFrom('application as a')
    .select('a.app_id')
    .where('a.company_id', '=', companyId)
    .where('a.disabled', '=', 0)
    .limit(1);
  const client = enabled.innerJoin('oidc_client as c', (on) =>
    on.onRef('c.company_id', '=', 'a.company_id').onRef('c.app_id', '=', 'a.app_id'),
  );
  if ((await directory.read(client)).length > 0) return true;
  return (await directory.read(enabled.where('a.local_accounts', '=', 1))).length > 0;
}

/** Evidence is a session, a linked account at a provider, or an entry of the audit trail. */
async function hasSignIn({ storage }: Deps<'storage'>, companyId: number): Promise<boolean> {
  const { directory } = storage;
  const { build } = directory;
  const token = build.selectFrom('token').select('company_id').where('company_id', '=', companyId);
  if ((await directory.read(token.where('user_id', 'is not', null).limit(1))).length > 0) return true;
  const identity = build.selectFrom('identity').select('company_id').where('company_id', '=', companyId).limit(1);
  if ((await directory.read(identity)).length > 0) return true;
  for (const order of ['desc', 'asc'] as const) {
    const some = build
      .selectFrom('audit')
      .select(['action', 'outcome'])
      .where('company_id', '=', companyId)
      .orderBy('id', order)
      .limit(entriesMax[order])
      .as('some');
    const started = build.selectFrom(some).select('action').where('action', '=', 'session.start');
    if ((await directory.read(started.where('outcome', '=', 'done').limit(1))).length > 0) return true;
  }
  return false;
}

type Tables = Pick<FirstSteps, 'table' | 'record'> & { readonly appId?: string; readonly version?: string };

/** The newest version with a record, or else the newest with a table, or else the newest one. */
async function findTables(deps: Deps<'storage' | 'data'>, companyId: number): Promise<Tables> {
  const { directory, spaces } = deps.storage;
  const versions = directory.build
    .selectFrom('app_version as v')
    .innerJoin('application as a', (on) =>
      on.onRef('a.company_id', '=', 'v.company_id').onRef('a.app_id', '=', 'v.app_id'),
    )
    .select(['v.app_id', 'v.version', 'v.space_id'])
    .where('v.company_id', '=', companyId)
    .where('a.disabled', '=', 0)
    .orderBy('v.created', 'desc')
    .limit(versionsMax);
  let found: Tables = { table: false, record: false };
  let left = tablesMax;
  const searched = new Set<number>();
  for (const { app_id: appId, version, space_id: spaceId } of await directory.read(versions)) {
    if (found.version === undefined) found = { ...found, appId, version };
    if (searched.has(spaceId)) continue;
    searched.add(spaceId);
    const names = [...(await spaces.definition(spaceId)).tables.keys()];
    if (names.length === 0) continue;
    if (!found.table) found = { table: true, record: false, appId, version };
    for (const name of names.slice(0, left)) {
      left--;
      if (await hasRecord(deps, { companyId, spaceId }, name)) return { table: true, record: true, appId, version };
    }
  }
  return found;
}
