/** The clients that an application has at its OIDC providers (docs/reference/tenancy.md#names). Secrets come in sealed. */
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import type { AccountPolicy } from './applications.ts';
import { type ClaimMapping, storedClaimMapping } from './claim-mapping.ts';
import { type DirectoryDatabase, listed, notThere, requireApplication, writeOrExplain } from './ownership.ts';
import { type Page, type PageFields, type PageLimits, type PageRequest, page } from './paging.ts';
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
import { expectOne, refuseOtherRevision } from './revisions.ts';

export interface Client {
  /** Path segment of Authenticate and Login. */
  readonly providerName: string;
  readonly issuer: string;
  /** Space-separated. */
  readonly scopes: string;
  /** Of the provider, as issuer and scopes. */
  readonly claimMapping: ClaimMapping;
  /** What happens to an unknown identity of this provider; null: as the application says. */
  readonly accountPolicy: AccountPolicy | null;
  readonly clientId: string;
  /** Sealed by `auth/seal.ts`, null for a public client. */
  readonly secretSealed: string | null;
  readonly redirectUri: string;
  /** Of the client; the provider has its own. */
  readonly revision: number;
  /** Milliseconds. */
  readonly created: number;
}

export interface NewClient {
  readonly companyId: number;
  readonly appId: string;
  readonly providerName: string;
  /** Made in the same transaction; without it, the provider has to be there. */
  readonly newProvider?: ProviderColumns;
  readonly clientId: string;
  readonly secretSealed: string | null;
  readonly redirectUri: string;
}

export interface ClientChanges {
  readonly secretSealed?: string | null;
  readonly redirectUri?: string;
  /** The one of the client that the changes are based on. */
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
  providerExists(companyId: number, appId: string, providerName: string): Promise<boolean>;
  /** @throws ServiceError 105, 130 for an unknown provider, `malformed` for bad or taken input */
  create(client: NewClient): Promise<Client>;
  /**
   * Changes what is given.
   * @param ofProvider changes of its provider, so for all of its clients, in the same transaction
   * @throws ServiceError 130 for an unknown client, and with 409 for another revision; `malformed` as `create`
   */
  update(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
    changes: ClientChanges,
    ofProvider?: Partial<ProviderColumns>,
  ): Promise<Client>;
  /** Sign-ins with it end at once; sessions stay. @throws ServiceError 130 as `update` */
  remove(companyId: number, appId: string, providerName: string, clientId: string, revision?: number): Promise<void>;
}

const fields: PageFields = {
  clientId: { column: 'c.client_id', kind: 'text', key: true, sortable: true, filterable: true, searchable: true },
  redirectUri: { column: 'c.redirect_uri', kind: 'text', sortable: true, filterable: true, searchable: true },
  created: { column: 'c.created', kind: 'whole', sortable: true },
};

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
  async function found(companyId: number, appId: string, providerName: string, clientId: string): Promise<Client> {
    const client = await find(companyId, appId, providerName, clientId);
    if (client !== null) return client;
    throw notThere('client', clientId, `provider ${quoted(providerName)} of this application`);
  }
  async function foundProvider(companyId: number, appId: string, name: string): Promise<Provider> {
    const provider = await providers.find(companyId, appId, name);
    if (provider !== null) return provider;
    await requireApplication(db, companyId, appId);
    throw notThere('provider', name, `application ${quoted(appId)}`);
  }
  /** Does it to the client as it was found; another change meanwhile undoes it. */
  async function changeFound(
    companyId: number,
    appId: string,
    client: Client,
    statements: readonly WriteStatement[],
  ): Promise<void> {
    const { providerName, clientId, revision } = client;
    const unchanged = selectClients(db, companyId, appId)
      .where('p.name', '=', providerName)
      .where('c.client_id', '=', clientId)
      .where('c.revision', '=', revision);
    await writeOrExplain(db, [expectOne(unchanged), ...statements], async () => {
      const present = await found(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
    });
  }

  return {
    list: (companyId, appId) => listed(list(companyId, appId), () => requireApplication(db, companyId, appId)),
    find,
    async page(companyId, appId, providerName, request, limits) {
      const query = selectClients(db, companyId, appId).where('p.name', '=', providerName);
      const { results, count } = await page(db, query, fields, request, limits);
      return { results: results.map(clientOf), count };
    },
    providerExists: async (companyId, appId, name) => (await providers.find(companyId, appId, name)) !== null,
    async create(client) {
      const { companyId, appId, providerName, newProvider, clientId, secretSealed } = client;
      const redirectUri = checkedRedirect(client.redirectUri);
      const { issuer } = newProvider ?? (await foundProvider(companyId, appId, providerName));
      const created = environment.now();
      const provider =
        newProvider === undefined
          ? []
          : [await insertProvider(db, { companyId, appId, name: providerName, ...newProvider }, created)];
      await refuseSharedRedirects(db, companyId, appId, { name: providerName, issuer, redirectUri });
      const insert = db.build.insertInto('oidc_client').values({
        company_id: companyId,
        app_id: appId,
        provider_name: providerName,
        client_id: checkedClientId(clientId),
        secret_sealed: secretSealed,
        redirect_uri: redirectUri,
        created,
      });
      await writeOrExplain(db, [...provider, insert], async () => {
        await requireApplication(db, companyId, appId);
        if ((await find(companyId, appId, providerName, clientId)) !== null) {
          throw malformed('clientId', `provider ${quoted(providerName)} has a client ${quoted(clientId)} already.`);
        }
        if (newProvider !== undefined) throw providerTaken(appId, providerName);
        await foundProvider(companyId, appId, providerName);
      });
      return found(companyId, appId, providerName, clientId);
    },
    async update(companyId, appId, providerName, clientId, { revision, ...changes }, ofProvider = {}) {
      const present = await found(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
      const statements: WriteStatement[] = [];
      if (Object.keys(ofProvider).length > 0) {
        const known = await foundProvider(companyId, appId, providerName);
        statements.push(await updateProvider(db, companyId, appId, known, ofProvider));
      }
      if (Object.keys(changes).length > 0) {
        const redirectUri = checkedRedirect(changes.redirectUri ?? present.redirectUri);
        const issuer = ofProvider.issuer ?? present.issuer;
        await refuseSharedRedirects(db, companyId, appId, { name: providerName, issuer, redirectUri });
        const update = db.build.updateTable('oidc_client').set({
          secret_sealed: changes.secretSealed === undefined ? present.secretSealed : changes.secretSealed,
          redirect_uri: redirectUri,
          revision: present.revision + 1,
        });
        statements.push(
          update
            .where('company_id', '=', companyId)
            .where('app_id', '=', appId)
            .where('provider_name', '=', providerName)
            .where('client_id', '=', clientId),
        );
      }
      if (statements.length === 0) return present;
      await changeFound(companyId, appId, present, statements);
      return found(companyId, appId, providerName, clientId);
    },
    async remove(companyId, appId, providerName, clientId, revision) {
      const present = await found(companyId, appId, providerName, clientId);
      refuseOtherRevision(`client ${quoted(clientId)}`, present.revision, revision);
      const remove = db.build
        .deleteFrom('oidc_client')
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('provider_name', '=', providerName)
        .where('client_id', '=', clientId);
      await changeFound(companyId, appId, present, [remove]);
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
    .select(['p.name as providerName', 'p.issuer', 'p.scopes'])
    .select(['p.claim_mapping as claimMapping', 'p.account_policy as accountPolicy'])
    .select(['c.client_id as clientId', 'c.secret_sealed as secretSealed', 'c.redirect_uri as redirectUri'])
    .select(['c.revision', 'c.created'])
    .where('c.company_id', '=', companyId)
    .where('c.app_id', '=', appId);
}

function clientOf(
  row: Omit<Client, 'claimMapping' | 'accountPolicy'> & { claimMapping: string; accountPolicy: string | null },
): Client {
  return {
    ...row,
    claimMapping: storedClaimMapping(row.claimMapping),
    accountPolicy: policyOf(row.accountPolicy),
  };
}

function checkedClientId(clientId: string): string {
  if (/^[\x21-\x7e]{1,300}$/.test(clientId)) return clientId;
  throw malformed('clientId', 'it needs 1 to 300 printable ASCII characters without spaces.');
}

/** RFC 6749 §3.1.2: absolute, no fragment. Any scheme, because phones use their own. */
function checkedRedirect(redirectUri: string): string {
  if (!URL.canParse(redirectUri) || redirectUri.includes('#') || /^(javascript|data|vbscript):/i.test(redirectUri)) {
    throw malformed('redirectUri', `expected an absolute address without a fragment, got ${quoted(redirectUri)}.`);
  }
  return redirectUri;
}
