/**
 * OIDC providers of an application: their issuer, scopes, and what their claims mean
 * (docs/reference/sign-in.md#accounts).
 */
import type { Selectable } from 'kysely';
import { given, type RowOf } from '../entities/entity.ts';
import { provider } from '../entities/providers.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted, type ServiceError } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import type { DirectoryTables } from '../storage/tables.ts';
import type { AccountPolicy } from './applications.ts';
import { type ClaimMapping, checkedClaimMapping, noClaimMapping, storedClaimMapping } from './claim-mapping.ts';
import { type DirectoryDatabase, notThere, requireApplication, writeOrExplain } from './ownership.ts';
import { type Page, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, type Further, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { rowsOf } from './rows.ts';

export interface Provider extends Omit<RowOf<typeof provider>, 'claimMapping'> {
  readonly claimMapping: ClaimMapping;
}

export interface ProviderColumns {
  readonly issuer: string;
  /** `openid email` when absent for a new provider. */
  readonly scopes?: string;
  /** The whole mapping, an object or its JSON text, checked here; empty when absent for a new provider. */
  readonly claimMapping?: unknown;
  readonly accountPolicy?: AccountPolicy | null;
}

export interface NewProvider extends ProviderColumns {
  readonly companyId: number;
  readonly appId: string;
  readonly name: string;
}

export interface ProviderChanges extends Partial<ProviderColumns> {
  /** The revision the changes are based on. */
  readonly revision?: number;
}

export interface Providers {
  /** @throws ServiceError 105 for an unknown application, `malformed` as `page` */
  page(companyId: number, appId: string, request: PageRequest, limits: PageLimits): Promise<Page<Provider>>;
  find(companyId: number, appId: string, name: string): Promise<Provider | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one, 105, 130 for an unknown application or company. */
  get(companyId: number, appId: string, name: string): Promise<Provider>;
  /** @throws ServiceError 105, `malformed` for bad or taken input */
  create(provider: NewProvider, further?: readonly WriteStatement[]): Promise<Provider>;
  /**
   * Changes the given fields.
   * @throws ServiceError 130 for an unknown one, and with 409 for another revision; `malformed` as `create`
   */
  update(
    companyId: number,
    appId: string,
    name: string,
    changes: ProviderChanges,
    further?: Further<Provider>,
  ): Promise<Provider>;
  /** With its clients: sign-ins through it end at once, sessions stay. @throws ServiceError 130 as `update` */
  remove(companyId: number, appId: string, name: string, revision?: number, further?: Further<Provider>): Promise<void>;
}

const scopesDefault = 'openid email';

const rows = rowsOf(provider, { name: checkedProviderName, issuer: checkedIssuer, scopes: checkedScopes });

export function openProviders(db: DirectoryDatabase, environment: Environment): Providers {
  const all = (companyId: number, appId: string) => selectProviders(db, companyId, appId);

  async function find(companyId: number, appId: string, name: string): Promise<Provider | null> {
    const [row] = await db.read(all(companyId, appId).where('name', '=', name));
    return row === undefined ? null : providerOf(row);
  }
  async function get(companyId: number, appId: string, name: string): Promise<Provider> {
    const provider = await find(companyId, appId, name);
    if (provider !== null) return provider;
    await requireApplication(db, companyId, appId);
    throw notThere('provider', name, `application ${quoted(appId)}`);
  }
  return {
    find,
    get,
    async page(companyId, appId, request, limits) {
      const { results, count } = await page(db, all(companyId, appId), rows.fields, request, limits);
      if (count === 0) await requireApplication(db, companyId, appId);
      return { results: results.map(providerOf), count };
    },
    async create(provider, further = []) {
      const { companyId, appId, name } = provider;
      const insert = await insertProvider(db, provider, environment.now());
      await writeOrExplain(db, [insert, ...further], async () => {
        await requireApplication(db, companyId, appId);
        throw providerTaken(appId, name);
      });
      return get(companyId, appId, name);
    },
    async update(companyId, appId, name, { revision, ...changes }, further = nothingFurther) {
      const present = await get(companyId, appId, name);
      refuseOtherRevision(`provider ${quoted(name)}`, present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const { statement, provider } = await updateProvider(db, companyId, appId, present, changes);
      await writeOrExplain(db, [statement, ...further(present)], async () => {
        const now = await get(companyId, appId, name);
        refuseOtherRevision(`provider ${quoted(name)}`, now.revision, present.revision);
      });
      return provider;
    },
    async remove(companyId, appId, name, revision, further = nothingFurther) {
      const present = await get(companyId, appId, name);
      refuseOtherRevision(`provider ${quoted(name)}`, present.revision, revision);
      const clients = db.build
        .deleteFrom('oidc_client')
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('provider_name', '=', name);
      const provider = db.build
        .deleteFrom('provider')
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('name', '=', name)
        .where('revision', '=', present.revision);
      await writeOrExplain(db, [clients, expectOne(provider), ...further(present)], async () => {
        const now = await get(companyId, appId, name);
        refuseOtherRevision(`provider ${quoted(name)}`, now.revision, present.revision);
      });
    },
  };
}

function selectProviders(db: DirectoryDatabase, companyId: number, appId: string) {
  return db.build.selectFrom('provider').selectAll().where('company_id', '=', companyId).where('app_id', '=', appId);
}

export function providerTaken(appId: string, name: string): ServiceError {
  return malformed('name', `there is already a provider ${quoted(name)} of application ${quoted(appId)}.`);
}

/** @throws ServiceError `malformed` */
export async function insertProvider(db: DirectoryDatabase, made: NewProvider, created: number) {
  const { companyId, claimMapping } = made;
  const mapping = claimMapping === undefined ? noClaimMapping : await checkedClaimMapping(db, companyId, claimMapping);
  const columns = { scopes: scopesDefault, ...made, claimMapping: mapping, created };
  return db.build.insertInto('provider').values(rows.inserted(columns));
}

/**
 * The statement, which rolls back its transaction if the provider was changed since it was read (`expectOne`), and the
 * provider after the change.
 * @throws ServiceError `malformed`
 */
export async function updateProvider(
  db: DirectoryDatabase,
  companyId: number,
  appId: string,
  present: Provider,
  changes: Partial<ProviderColumns>,
): Promise<{ readonly statement: WriteStatement; readonly provider: Provider }> {
  const { name, revision } = present;
  const { claimMapping, ...others } = changes;
  const mapping = claimMapping === undefined ? undefined : await checkedClaimMapping(db, companyId, claimMapping);
  const columns = rows.changed({ ...others, ...given({ claimMapping: mapping }) });
  const { issuer = present.issuer } = columns;
  if (issuer !== present.issuer) await refuseSharedRedirects(db, companyId, appId, { name, issuer });
  const update = db.build
    .updateTable('provider')
    .set({ ...columns, revision: revision + 1 })
    .where('company_id', '=', companyId)
    .where('app_id', '=', appId)
    .where('name', '=', name)
    .where('revision', '=', revision);
  const { scopes = present.scopes } = columns;
  const { accountPolicy = present.accountPolicy } = changes;
  const set = { issuer, scopes, accountPolicy, claimMapping: mapping ?? present.claimMapping };
  return { statement: expectOne(update), provider: { ...present, ...set, revision: revision + 1 } };
}

/**
 * Each issuer has its own redirect addresses: the defence against provider mix-up (RFC 9700 §4.4.2.2).
 * @param redirectUri the address to check; all addresses of the provider's clients when absent
 * @throws ServiceError `malformed`
 */
export async function refuseSharedRedirects(
  db: DirectoryDatabase,
  companyId: number,
  appId: string,
  { name, issuer, redirectUri }: { readonly name: string; readonly issuer: string; readonly redirectUri?: string },
): Promise<void> {
  const own = db.build
    .selectFrom('oidc_client as own')
    .select('own.redirect_uri')
    .where('own.company_id', '=', companyId)
    .where('own.app_id', '=', appId)
    .where('own.provider_name', '=', name);
  const [other] = await db.read(
    db.build
      .selectFrom('oidc_client as c')
      .innerJoin('provider as p', (on) =>
        on
          .onRef('p.company_id', '=', 'c.company_id')
          .onRef('p.app_id', '=', 'c.app_id')
          .onRef('p.name', '=', 'c.provider_name'),
      )
      .select('p.name')
      .where('c.company_id', '=', companyId)
      .where('c.app_id', '=', appId)
      .where('p.name', '<>', name)
      .where('p.issuer', '<>', issuer)
      .where('c.redirect_uri', 'in', redirectUri === undefined ? own : [redirectUri])
      .limit(1),
  );
  if (other === undefined) return;
  const owner = `provider ${quoted(other.name)}`;
  throw malformed('redirectUri', `${owner} already has this address; each issuer needs one of its own.`);
}

/** A new client may repeat its provider's settings but not change them. @throws ServiceError `malformed` */
export async function refuseOtherColumns(
  db: DirectoryDatabase,
  companyId: number,
  known: Provider,
  columns: Partial<ProviderColumns>,
): Promise<void> {
  const provider = `provider ${quoted(known.name)} of this application`;
  if (columns.issuer !== undefined && checkedIssuer('issuer', columns.issuer) !== known.issuer) {
    throw malformed('issuer', `${provider} has the issuer ${quoted(known.issuer)}.`);
  }
  if (columns.scopes !== undefined && checkedScopes('scopes', columns.scopes) !== known.scopes) {
    throw malformed('scopes', `${provider} has the scopes ${quoted(known.scopes)}.`);
  }
  const { accountPolicy = known.accountPolicy, claimMapping } = columns;
  const mapping =
    claimMapping === undefined ? known.claimMapping : await checkedClaimMapping(db, companyId, claimMapping);
  if (accountPolicy !== known.accountPolicy || JSON.stringify(mapping) !== JSON.stringify(known.claimMapping)) {
    throw malformed('claimMapping, accountPolicy', `${provider} has others; change the provider first.`);
  }
}

function checkedProviderName(_field: string, name: string): string {
  if (/^[A-Za-z0-9._-]{1,50}$/.test(name)) return name;
  throw malformed('provider', `expected 1 to 50 letters, digits, ".", "_" or "-", got ${quoted(name)}.`);
}

/** OpenID Connect Discovery §3: https, no query, no fragment. Plain http on loopback only, for development. */
function checkedIssuer(_field: string, issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && loopback))) {
    throw malformed('issuer', `expected an https address (http only on this machine), got ${quoted(issuer)}.`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw malformed('issuer', 'expected an address without query, fragment, user name and password.');
  }
  return issuer;
}

/** OpenID Connect Core §3.1.2.1: without `openid` it is not an OpenID Connect request. */
function checkedScopes(_field: string, scopes: string): string {
  const list = [...new Set(scopes.split(/\s+/).filter((scope) => scope !== ''))];
  if (!list.includes('openid') || list.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    throw malformed('scopes', `expected scope names with "openid" among them, got ${quoted(scopes)}.`);
  }
  return list.join(' ');
}

function providerOf(row: Selectable<DirectoryTables['provider']>): Provider {
  return { ...rows.read(row), claimMapping: storedClaimMapping(row.claim_mapping) };
}

/** The database allows no other value. */
export function policyOf(stored: string | null): AccountPolicy | null {
  return stored === 'create' || stored === 'refuse' ? stored : null;
}
