/** OIDC providers of an application and the clients that it has at them (decisions.md §3). Secrets come in sealed. */
import type { Environment } from '../environment.ts';
import { malformed, missing, shown } from '../errors.ts';
import type { AccountPolicy } from './applications.ts';
import { type ClaimMapping, checkedClaimMapping, noClaimMapping, storedClaimMapping } from './claim-mapping.ts';
import { type DirectoryDatabase, listed, notThere, requireApplication, writeOrExplain } from './ownership.ts';

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
}

export interface NewClient {
  readonly companyId: number;
  readonly appId: string;
  readonly providerName: string;
  /** Required when the provider is new; the same one when it is known. */
  readonly issuer?: string;
  /** `openid email` when absent and the provider is new. */
  readonly scopes?: string;
  /** An object or its JSON text, checked here; nothing is mapped when absent and the provider is new. */
  readonly claimMapping?: unknown;
  readonly accountPolicy?: AccountPolicy | null;
  readonly clientId: string;
  readonly secretSealed: string | null;
  readonly redirectUri: string;
}

export interface ClientChanges {
  /** Of the provider, so for all of its clients. */
  readonly issuer?: string;
  readonly scopes?: string;
  /** The whole new one, an object or its JSON text. */
  readonly claimMapping?: unknown;
  readonly accountPolicy?: AccountPolicy | null;
  readonly secretSealed?: string | null;
  readonly redirectUri?: string;
}

export interface Clients {
  /** By provider and client id. @throws ServiceError 105 for an unknown application. */
  list(companyId: number, appId: string): Promise<Client[]>;
  find(companyId: number, appId: string, providerName: string, clientId: string): Promise<Client | null>;
  providerExists(companyId: number, appId: string, providerName: string): Promise<boolean>;
  /** Makes the provider too when it is new. @throws ServiceError 105, `malformed` for bad, contradicting or taken input. */
  create(client: NewClient): Promise<Client>;
  /** Changes what is given. @throws ServiceError 130 for an unknown client, `malformed` as `create`. */
  update(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
    changes: ClientChanges,
  ): Promise<Client>;
  /** Sign-ins with it end at once; sessions stay. @throws ServiceError 130 for an unknown client. */
  remove(companyId: number, appId: string, providerName: string, clientId: string): Promise<void>;
}

const scopesDefault = 'openid email';

export function openClients(db: DirectoryDatabase, environment: Environment): Clients {
  const ofApplication = (companyId: number, appId: string) =>
    db.build
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
      .where('c.company_id', '=', companyId)
      .where('c.app_id', '=', appId)
      .orderBy('p.name')
      .orderBy('c.client_id');

  const list = async (companyId: number, appId: string) =>
    (await db.read(ofApplication(companyId, appId))).map(clientOf);

  async function find(
    companyId: number,
    appId: string,
    providerName: string,
    clientId: string,
  ): Promise<Client | null> {
    const query = ofApplication(companyId, appId)
      .where('p.name', '=', providerName)
      .where('c.client_id', '=', clientId);
    return (await db.read(query)).map(clientOf)[0] ?? null;
  }
  async function provider(companyId: number, appId: string, name: string) {
    const [row] = await db.read(
      db.build
        .selectFrom('provider')
        .select(['issuer', 'scopes', 'claim_mapping', 'account_policy'])
        .where('company_id', '=', companyId)
        .where('app_id', '=', appId)
        .where('name', '=', name),
    );
    return row ?? null;
  }
  /** Each issuer has its own redirect address: the defence against mixing up providers (RFC 9700 §4.4.2.2). */
  async function refuseForeignRedirect(
    companyId: number,
    appId: string,
    client: Pick<Client, 'providerName' | 'issuer' | 'redirectUri'>,
  ) {
    const other = (await list(companyId, appId)).find(
      ({ providerName, issuer, redirectUri }) =>
        providerName !== client.providerName && issuer !== client.issuer && redirectUri === client.redirectUri,
    );
    if (other === undefined) return;
    const owner = `provider ${shown(other.providerName)}`;
    throw malformed('redirectUri', `${owner} has this address already; each issuer needs one of its own.`);
  }

  return {
    list: (companyId, appId) => listed(list(companyId, appId), () => requireApplication(db, companyId, appId)),
    find,
    providerExists: async (companyId, appId, name) => (await provider(companyId, appId, name)) !== null,
    async create(client) {
      const { companyId, appId, providerName, clientId } = checkedNames(client);
      const redirectUri = checkedRedirect(client.redirectUri);
      const known = await provider(companyId, appId, providerName);
      const issuer = client.issuer === undefined ? known?.issuer : checkedIssuer(client.issuer);
      if (issuer === undefined) {
        await requireApplication(db, companyId, appId);
        throw missing('issuer');
      }
      if (known !== null && known.issuer !== issuer) {
        throw malformed(
          'issuer',
          `provider ${shown(providerName)} of this application has the issuer ${shown(known.issuer)}.`,
        );
      }
      const scopes = checkedScopes(client.scopes ?? known?.scopes ?? scopesDefault);
      if (known !== null && known.scopes !== scopes) {
        throw malformed(
          'scopes',
          `provider ${shown(providerName)} of this application has the scopes ${shown(known.scopes)}.`,
        );
      }
      const { accountPolicy = asPolicy(known?.account_policy ?? null) } = client;
      const knownMapping = known === null ? noClaimMapping : storedClaimMapping(known.claim_mapping);
      const claimMapping =
        client.claimMapping === undefined
          ? knownMapping
          : await checkedClaimMapping(db, companyId, client.claimMapping);
      const mappingText = JSON.stringify(claimMapping);
      if (known !== null && (accountPolicy !== known.account_policy || mappingText !== JSON.stringify(knownMapping))) {
        throw malformed(
          'claimMapping, accountPolicy',
          `provider ${shown(providerName)} of this application has others; update one of its clients to change them.`,
        );
      }
      await refuseForeignRedirect(companyId, appId, { providerName, issuer, redirectUri });
      const owner = { company_id: companyId, app_id: appId, created: environment.now() };
      const secret = { secret_sealed: client.secretSealed, redirect_uri: redirectUri };
      const statements = [
        ...(known === null
          ? [
              db.build.insertInto('provider').values({
                ...owner,
                name: providerName,
                issuer,
                scopes,
                claim_mapping: mappingText,
                account_policy: accountPolicy,
              }),
            ]
          : []),
        db.build
          .insertInto('oidc_client')
          .values({ ...owner, ...secret, provider_name: providerName, client_id: clientId }),
      ];
      await writeOrExplain(db, statements, async () => {
        await requireApplication(db, companyId, appId);
        if ((await find(companyId, appId, providerName, clientId)) !== null) {
          throw malformed('clientId', `provider ${shown(providerName)} has a client ${shown(clientId)} already.`);
        }
      });
      const { secretSealed } = client;
      return { providerName, issuer, scopes, claimMapping, accountPolicy, clientId, secretSealed, redirectUri };
    },
    async update(companyId, appId, providerName, clientId, changes) {
      const present = await find(companyId, appId, providerName, clientId);
      if (present === null) throw notThere('client', clientId, `provider ${shown(providerName)} of this application`);
      const issuer = checkedIssuer(changes.issuer ?? present.issuer);
      const scopes = checkedScopes(changes.scopes ?? present.scopes);
      const redirectUri = checkedRedirect(changes.redirectUri ?? present.redirectUri);
      const secretSealed = changes.secretSealed === undefined ? present.secretSealed : changes.secretSealed;
      const accountPolicy = changes.accountPolicy === undefined ? present.accountPolicy : changes.accountPolicy;
      const claimMapping =
        changes.claimMapping === undefined
          ? present.claimMapping
          : await checkedClaimMapping(db, companyId, changes.claimMapping);
      await refuseForeignRedirect(companyId, appId, { providerName, issuer, redirectUri });
      await db.write([
        db.build
          .updateTable('provider')
          .set({
            issuer,
            scopes,
            claim_mapping: JSON.stringify(claimMapping),
            account_policy: accountPolicy,
          })
          .where('company_id', '=', companyId)
          .where('app_id', '=', appId)
          .where('name', '=', providerName),
        db.build
          .updateTable('oidc_client')
          .set({ secret_sealed: secretSealed, redirect_uri: redirectUri })
          .where('company_id', '=', companyId)
          .where('app_id', '=', appId)
          .where('provider_name', '=', providerName)
          .where('client_id', '=', clientId),
      ]);
      return { providerName, issuer, scopes, claimMapping, accountPolicy, clientId, secretSealed, redirectUri };
    },
    async remove(companyId, appId, providerName, clientId) {
      const [written] = await db.write([
        db.build
          .deleteFrom('oidc_client')
          .where('company_id', '=', companyId)
          .where('app_id', '=', appId)
          .where('provider_name', '=', providerName)
          .where('client_id', '=', clientId),
      ]);
      if (written?.changed !== 1) {
        throw notThere('client', clientId, `provider ${shown(providerName)} of this application`);
      }
    },
  };
}

function clientOf(
  row: Omit<Client, 'claimMapping' | 'accountPolicy'> & { claimMapping: string; accountPolicy: string | null },
): Client {
  return {
    ...row,
    claimMapping: storedClaimMapping(row.claimMapping),
    accountPolicy: asPolicy(row.accountPolicy),
  };
}

/** The database takes no other one. */
function asPolicy(stored: string | null): AccountPolicy | null {
  return stored === 'create' || stored === 'refuse' ? stored : null;
}

function checkedNames(client: NewClient): NewClient {
  if (!/^[A-Za-z0-9._-]{1,50}$/.test(client.providerName)) {
    throw malformed(
      'provider',
      `${shown(client.providerName)} came; 1 to 50 letters, digits, ".", "_" or "-" were expected.`,
    );
  }
  if (!/^[\x21-\x7e]{1,300}$/.test(client.clientId)) {
    throw malformed('clientId', 'it needs 1 to 300 printable ASCII characters without spaces.');
  }
  return client;
}

/** OpenID Connect Discovery §3: https, no query, no fragment. Plain http only on this machine, for development. */
function checkedIssuer(issuer: string): string {
  const url = URL.canParse(issuer) ? new URL(issuer) : null;
  const loopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && loopback))) {
    throw malformed('issuer', `${shown(issuer)} came; an https address was expected (http only on this machine).`);
  }
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw malformed('issuer', 'an address without query, fragment, user name and password was expected.');
  }
  return issuer;
}

/** RFC 6749 §3.1.2: absolute, no fragment. Any scheme, because phones use their own. */
function checkedRedirect(redirectUri: string): string {
  if (!URL.canParse(redirectUri) || redirectUri.includes('#') || /^(javascript|data|vbscript):/i.test(redirectUri)) {
    throw malformed('redirectUri', `${shown(redirectUri)} came; an absolute address without a fragment was expected.`);
  }
  return redirectUri;
}

/** OpenID Connect Core §3.1.2.1: without `openid` it is not an OpenID Connect request. */
function checkedScopes(scopes: string): string {
  const list = [...new Set(scopes.split(/\s+/).filter((scope) => scope !== ''))];
  if (!list.includes('openid') || list.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    throw malformed('scopes', `${shown(scopes)} came; scope names with "openid" among them were expected.`);
  }
  return list.join(' ');
}
