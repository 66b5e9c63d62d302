/**
 * The clients that an application has at its OIDC providers (docs/reference/tenancy.md#names). Secrets arrive sealed.
 */
import type { RowOf } from '../entities/entity.ts';
import { client } from '../entities/providers.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import { storedClaimMapping } from './claim-mapping.ts';
import { type DirectoryDatabase, listed, notThere, requireApplication, writeOrExplain } from './ownership.ts';
import { type Page, type PageLimits, type PageRequest, page } from './paging.ts';
import {
  insertProvider,
  openProviders,
  type Provider,
  type ProviderColumns,
  policyOf,
  providerTaken,
  refuseSharedRedirects,
  updateProvider,
} from './providers.ts';
import { expectOne, type Further, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { rowsOf } from './rows.ts';

/** With its provider's settings. */
export type Client = RowOf<typeof client> & Pick<Provider, 'issuer' | 'scopes' | 'claimMapping' | 'accountPolicy'>;

export interface NewClient {
  readonly companyId: number;
  readonly appId: string;
  readonly providerName: string;
  /** Created in the same transaction; when absent, the provider must exist. */
  readonly newProvider?: ProviderColumns;
  readonly clientId: string;
  readonly secretSealed: string | null;
  readonly redirectUri: string;
}

export interface ClientChanges {
  readonly secretSealed?: string | null;
  readonly redirectUri?: string;
  /** The client revision that the changes are based on. */
  readonly revision?: number;
}

export interface Clients {
  /** By provider and client id. @throws ServiceError 105 for an unknown application. */
  list(companyId: number, appId: string): Promise<Client[]>;
  /** Of one provider. @throws ServiceError `malformed` as `page` */
  page(
    companyId: number,
    appId: string,
    providerName: string,
    request: PageRequest,
    limits: PageLimits,
  ): Promise<Page<Client>>;
  find(companyId: number, appId: string, providerName: string, clientId: string): Promise<Client | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one, 105, 130 for an unknown application or company. */
  get(companyId: number, appId: string, providerName: string, clientId: string): Promise<Client>;
  /** @throws ServiceError 105, 130 for an unknown provider, `malformed` for bad or taken input */
  create(client: NewClient, further?: readonly WriteStatement[]): Promise<Client>;
  /**
   * Changes the given fields.
   * @param ofProvider changes to its provider, thus to all its clients, in the same transaction
   * @throws ServiceError 130 for an unknown client, and with 409 for another revision; `malformed` as `create`
   */
  update(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
    changes: ClientChanges,
    ofProvider?: Partial<ProviderColumns>,
    further?: Further<Client>,
  ): Promise<Client>;
  /** Sign-ins with it end at once; sessions stay. @throws ServiceError 130 as `update` */
  remove(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
    revision?: number,
    further?: Further<Client>,
  ): Promise<void>;
}

const rows = rowsOf(client, { clientId: checkedClientId, redirectUri: checkedRedirect }, 'c');

export function openClients(db: DirectoryDatabase, environment: Environment): Clients {
  const providers = openProviders(db, environment);

  async function list(companyId: number, appId: string): Promise<Client[]> {
    const query = selectClients(db, companyId, appId).orderBy('p.name').orderBy('c.client_id');
    return (await db.read(query)).map(clientOf);
  }
  async function find(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
  ): Promise<Client | null> {
    const query = selectClients(db, companyId, appId)
      .where('p.name', '=', providerName)
      .where('c.client_id', '=', clientId);
    return (await db.read(query)).map(clientOf)[0] ?? null;
  }
  async function get(companyId: number, appId: string, providerName: string, clientId: string): Promise<Client> {
    const present = await find(companyId, appId, providerName, clientId);
    if (present !== null) return present;
    await requireApplication(db, companyId, appId);
    throw notThere('client', clientId, `provider ${quoted(providerName)} of this application`);
  }
  /** Updates the client as read; a concurrent change rolls it back. */
  async function changeFound(
    companyId: number,
    appId: string,
    { providerName, clientId, revision }: Client,
    statements: readonly WriteStatement[],
  ): Promise<void> {
    const unchanged = selectClients(db, companyId, appId)
      .where('p.name', '=', providerName)
      .where('c.client_id', '=', clientId)
      .where('c.revision', '=', revision);
    await writeOrExplain(db, [expectOne(unchanged), ...statements], async () => {
      const present = await get(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
    });
  }

  return {
    list: (companyId, appId) => listed(list(companyId, appId), () => requireApplication(db, companyId, appId)),
    find,
    get,
    async page(companyId, appId, providerName, request, limits) {
      const query = selectClients(db, companyId, appId).where('p.name', '=', providerName);
      const { results, count } = await page(db, query, rows.fields, request, limits);
      return { results: results.map(clientOf), count };
    },
    async create({ newProvider, ...made }, further = []) {
      const { companyId, appId, providerName, clientId, redirectUri } = made;
      const created = environment.now();
      const insert = db.build.insertInto('oidc_client').values(rows.inserted({ ...made, created }));
      const { issuer } = newProvider ?? (await providers.get(companyId, appId, providerName));
      const provider =
        newProvider === undefined
          ? []
          : [await insertProvider(db, { companyId, appId, name: providerName, ...newProvider }, created)];
      await refuseSharedRedirects(db, companyId, appId, { name: providerName, issuer, redirectUri });
      await writeOrExplain(db, [...provider, insert, ...further], async () => {
        await requireApplication(db, companyId, appId);
        if ((await find(companyId, appId, providerName, clientId)) !== null) {
          throw malformed('clientId', `provider ${quoted(providerName)} already has a client ${quoted(clientId)}.`);
        }
        if (newProvider !== undefined) throw providerTaken(appId, providerName);
        await providers.get(companyId, appId, providerName);
      });
      return get(companyId, appId, providerName, clientId);
    },
    async update(
      companyId,
      appId,
      providerName,
      clientId,
      { revision, ...changes },
      ofProvider = {},
      further = nothingFurther,
    ) {
      const present = await get(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
      const statements: WriteStatement[] = [];
      if (Object.keys(ofProvider).length > 0) {
        const known = await providers.get(companyId, appId, providerName);
        statements.push((await updateProvider(db, companyId, appId, known, ofProvider)).statement);
      }
      if (Object.keys(changes).length > 0) {
        const { redirectUri = present.redirectUri } = changes;
        const columns = rows.changed(changes);
        const issuer = ofProvider.issuer ?? present.issuer;
        await refuseSharedRedirects(db, companyId, appId, { name: providerName, issuer, redirectUri });
        const update = db.build.updateTable('oidc_client').set({ ...columns, revision: present.revision + 1 });
        statements.push(
          update
            .where('company_id', '=', companyId)
            .where('app_id', '=', appId)
            .where('provider_name', '=', providerName)
            .where('client_id', '=', clientId),
        );
      }
      if (statements.length === 0) return present;
      await changeFound(companyId, appId, present, [...statements, ...further(present)]);
      return get(companyId, appId, providerName, clientId);
    },
    async remove(companyId, appId, providerName, clientId, revision, further = nothingFurther) {
      const present = await get(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
      const remove = db.build
        .deleteFrom('oidc_client')
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('provider_name', '=', providerName)
        .where('client_id', '=', clientId);
      await changeFound(companyId, appId, present, [remove, ...further(present)]);
    },
  };
}

function selectClients(db: DirectoryDatabase, companyId: number, appId: string) {
  return db.build
    .selectFrom('oidc_client as c')
    .innerJoin('provider as p', (on) =>
      on
        .onRef('p.company_id', '=', 'c.company_id')
        .onRef('p.app_id', '=', 'c.app_id')
        .onRef('p.name', '=', 'c.provider_name'),
    )
    .selectAll('c')
    .select(['p.issuer', 'p.scopes', 'p.claim_mapping', 'p.account_policy'])
    .where('c.company_id', '=', companyId)
    .where('c.app_id', '=', appId);
}

function clientOf(row: Awaited<ReturnType<ReturnType<typeof selectClients>['execute']>>[number]): Client {
  const { issuer, scopes, claim_mapping: mapping, account_policy: policy } = row;
  const ofProvider = { issuer, scopes, claimMapping: storedClaimMapping(mapping), accountPolicy: policyOf(policy) };
  return { ...rows.read(row), ...ofProvider };
}

function checkedClientId(_field: string, clientId: string): string {
  if (/^[\x21-\x7e]{1,300}$/.test(clientId)) return clientId;
  throw malformed('clientId', 'it needs 1 to 300 printable ASCII characters without spaces.');
}

/** RFC 6749 §3.1.2: absolute, no fragment. Any scheme, because phones use their own. */
function checkedRedirect(_field: string, redirectUri: string): string {
  if (!URL.canParse(redirectUri) || redirectUri.includes('#') || /^(javascript|data|vbscript):/i.test(redirectUri)) {
    throw malformed('redirectUri', `expected an absolute address without a fragment, got ${quoted(redirectUri)}.`);
  }
  return redirectUri;
}
