/**
 * The first steps of a company, and which are done, found in what it has. Nothing is noted, so a step is
 * open again when what it was done by is gone.
 */
import { notThere } from '../directory/ownership.ts';
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

/** How many of the newest versions are searched for tables, and how many tables of each for records. */
const versionsMax = 50;
const tablesMax = 20;

/** How many of the newest audit entries are searched for a sign-in whose session has ended. */
const entriesMax = 1_000;

/** @throws ServiceError `forbidden` · 130 unknown */
export async function findFirstSteps(
  deps: Deps<'storage' | 'directory' | 'data'>,
  _actor: Permitted<'company.read'>,
  companyId: number,
): Promise<FirstSteps> {
  if ((await deps.directory.companies.find(companyId)) === null) throw notThere('company', companyId);
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
  const newest = directory.build.selectFrom('application').select('app_id').where('company_id', '=', companyId);
  return (await directory.read(newest.orderBy('created', 'desc').limit(1)))[0]?.app_id ?? null;
}

async function hasProvider({ storage }: Deps<'storage'>, companyId: number): Promise<boolean> {
  const { directory } = storage;
  const { build } = directory;
  const client = build.selectFrom('oidc_client').select('company_id').where('company_id', '=', companyId).limit(1);
  if ((await directory.read(client)).length > 0) return true;
  const local = build.selectFrom('application').select('company_id').where('company_id', '=', companyId);
  return (await directory.read(local.where('local_accounts', '=', 1).limit(1))).length > 0;
}

/** Evidence is a session, a linked account at a provider, or an entry of the audit trail. */
async function hasSignIn({ storage }: Deps<'storage'>, companyId: number): Promise<boolean> {
  const { directory } = storage;
  const { build } = directory;
  const token = build.selectFrom('token').select('company_id').where('company_id', '=', companyId);
  if ((await directory.read(token.where('user_id', 'is not', null).limit(1))).length > 0) return true;
  const identity = build.selectFrom('identity').select('company_id').where('company_id', '=', companyId).limit(1);
  if ((await directory.read(identity)).length > 0) return true;
  const newest = build
    .selectFrom('audit')
    .select(['action', 'outcome'])
    .where('company_id', '=', companyId)
    .orderBy('id', 'desc')
    .limit(entriesMax)
    .as('newest');
  const started = build.selectFrom(newest).select('action').where('action', '=', 'session.start');
  return (await directory.read(started.where('outcome', '=', 'done').limit(1))).length > 0;
}

type Tables = Pick<FirstSteps, 'table' | 'record'> & { readonly appId?: string; readonly version?: string };

/** The newest version with a record, or else the newest with a table, or else the newest one. */
async function findTables(deps: Deps<'storage' | 'data'>, companyId: number): Promise<Tables> {
  const { directory, spaces } = deps.storage;
  const versions = directory.build
    .selectFrom('app_version')
    .select(['app_id', 'version', 'space_id'])
    .where('company_id', '=', companyId)
    .orderBy('created', 'desc')
    .limit(versionsMax);
  let found: Tables = { table: false, record: false };
  for (const { app_id: appId, version, space_id: spaceId } of await directory.read(versions)) {
    if (found.version === undefined) found = { ...found, appId, version };
    const names = [...(await spaces.definition(spaceId)).tables.keys()];
    if (names.length === 0) continue;
    if (!found.table) found = { table: true, record: false, appId, version };
    for (const name of names.slice(0, tablesMax)) {
      if (await hasRecord(deps, { companyId, spaceId }, name)) return { table: true, record: true, appId, version };
    }
  }
  return found;
}
