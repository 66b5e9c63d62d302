/** Administrative acts on an application's identity providers, and the clients that it has registered with them. */
import type { Actor } from '../actor.ts';
import { keyIdOf, type Seal } from '../auth/seal.ts';
import type { Client } from '../directory/clients.ts';
import { notThere, requireApplication } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import {
  type Provider,
  type ProviderChanges,
  type ProviderColumns,
  refuseOtherColumns,
} from '../directory/providers.ts';
import { malformed, missing, quoted } from '../errors.ts';
import { isWellFormed } from '../text.ts';
import { type AuditedAction, auditEntry, type ChangeDeps, type Deps } from './audited-action.ts';
import type { Permitted } from './authorize.ts';

/** Seals client secrets, and tells which can be opened. */
export interface Sealing {
  readonly seal: Pick<Seal, 'seal' | 'keyIds'>;
}

/** Names an application. */
export interface ApplicationRef {
  readonly companyId: number;
  readonly appId: string;
}

/** Whether a secret is set; the secret itself is never returned. */
export interface ClientResponse extends Pick<Client, 'clientId' | 'redirectUri' | 'revision' | 'created'> {
  readonly hasSecret: boolean;
  /** The secret was sealed under a key that is not available and must be entered again. */
  readonly isSecretLost: boolean;
}

export interface ClientInput {
  readonly redirectUri?: string;
  /** Null removes it: a public client. */
  readonly secret?: string | null;
  /** Changes to its provider, in the same transaction, with their own audit entry. */
  readonly provider?: Partial<ProviderColumns>;
  /** The client revision that the changes are based on. */
  readonly revision?: number;
}

export interface NewClientInput {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly secret?: string | null;
  /** If given, a missing provider is created in the same transaction; an existing one must match it exactly. */
  readonly provider?: Partial<ProviderColumns>;
}

const secretLengthMax = 2_000;

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function listProviders(
  deps: Deps<'storage' | 'directory' | 'settings'>,
  _actor: Permitted<'provider.read'>,
  { companyId, appId }: ApplicationRef,
  request: PageRequest,
): Promise<Page<Provider>> {
  await requireApplication(deps.storage.directory, companyId, appId);
  return deps.directory.providers.page(companyId, appId, request, deps.settings);
}

/** @throws ServiceError `forbidden` · 105, 130 unknown */
export function getProvider(
  deps: Deps<'directory'>,
  _actor: Permitted<'provider.read'>,
  { companyId, appId }: ApplicationRef,
  name: string,
): Promise<Provider> {
  return deps.directory.providers.get(companyId, appId, name);
}

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` bad or taken */
export async function createProvider(
  deps: ChangeDeps,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  input: ProviderColumns & { readonly name: string },
): Promise<Provider> {
  await requireApplication(deps.storage.directory, application.companyId, application.appId);
  refuseThisMachine(actor, input.issuer);
  const entry = auditEntry(deps, actor, creationOf(application, input));
  return deps.directory.providers.create({ ...input, ...application }, [entry]);
}

/** @throws ServiceError `forbidden` · 105, 130 unknown, or with 409 another revision · `malformed` */
export async function updateProvider(
  deps: ChangeDeps,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  name: string,
  changes: ProviderChanges,
): Promise<Provider> {
  const { companyId, appId } = application;
  refuseThisMachine(actor, changes.issuer);
  const { revision: _, ...detail } = changes;
  return deps.directory.providers.update(companyId, appId, name, changes, () => [
    auditEntry(deps, actor, auditedAction('provider.update', application, `provider ${quoted(name)}`, detail)),
  ]);
}

/** With its clients. @throws ServiceError as `updateProvider` */
export async function deleteProvider(
  deps: ChangeDeps,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  name: string,
  revision?: number,
): Promise<void> {
  const { companyId, appId } = application;
  await deps.directory.providers.remove(companyId, appId, name, revision, () => [
    auditEntry(deps, actor, auditedAction('provider.delete', application, `provider ${quoted(name)}`, {})),
  ]);
}

/** @throws ServiceError `forbidden` · 105, 130 unknown provider · `malformed` as `page` */
export async function listClients(
  deps: Deps<'directory' | 'settings'> & Sealing,
  _actor: Permitted<'provider.read'>,
  application: ApplicationRef,
  provider: string,
  request: PageRequest,
): Promise<Page<ClientResponse>> {
  const { companyId, appId } = application;
  await deps.directory.providers.get(companyId, appId, provider);
  const { results, count } = await deps.directory.clients.page(companyId, appId, provider, request, deps.settings);
  return { results: results.map((client) => clientResponse(deps, client)), count };
}

/** @throws ServiceError `forbidden` · 105, 130 unknown */
export async function getClient(
  deps: Deps<'directory'> & Sealing,
  _actor: Permitted<'provider.read'>,
  application: ApplicationRef,
  provider: string,
  clientId: string,
): Promise<ClientResponse> {
  const { companyId, appId } = application;
  await deps.directory.providers.get(companyId, appId, provider);
  return clientResponse(deps, await deps.directory.clients.get(companyId, appId, provider, clientId));
}

/** @throws ServiceError `forbidden` · 105, 130 unknown provider · `malformed` bad or taken */
export async function createClient(
  deps: ChangeDeps & Sealing,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  provider: string,
  input: NewClientInput,
): Promise<ClientResponse> {
  await requireApplication(deps.storage.directory, application.companyId, application.appId);
  refuseThisMachine(actor, input.provider?.issuer);
  const newProvider = await providerToMake(deps, application, provider, input.provider);
  const { clientId, redirectUri } = input;
  const secretSealed = sealed(deps, input.secret ?? null);
  const detail = { redirectUri, withSecret: secretSealed !== null };
  const actions = [auditedAction('client.create', application, called(provider, clientId), detail)];
  if (newProvider !== undefined) actions.unshift(creationOf(application, { name: provider, ...newProvider }));
  const made = newProvider === undefined ? {} : { newProvider };
  const client = { ...application, providerName: provider, clientId, redirectUri, secretSealed, ...made };
  const entries = actions.map((action) => auditEntry(deps, actor, action));
  return clientResponse(deps, await deps.directory.clients.create(client, entries));
}

/** @returns nothing if the provider exists. @throws ServiceError 130 · `missing` · `malformed` */
async function providerToMake(
  deps: Deps<'storage' | 'directory'>,
  application: ApplicationRef,
  name: string,
  columns: Partial<ProviderColumns> | undefined,
): Promise<ProviderColumns | undefined> {
  const known = await deps.directory.providers.find(application.companyId, application.appId, name);
  if (known !== null) {
    await refuseOtherColumns(deps.storage.directory, application.companyId, known, columns ?? {});
    return undefined;
  }
  if (columns === undefined) throw notThere('provider', name, `application ${quoted(application.appId)}`);
  if (columns.issuer === undefined) throw missing('issuer');
  return { ...columns, issuer: columns.issuer };
}

/** @throws ServiceError `forbidden` · 105, 130 unknown, or with 409 another revision · `malformed` */
export async function updateClient(
  deps: ChangeDeps & Sealing,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  provider: string,
  clientId: string,
  { secret, provider: columns = {}, ...changes }: ClientInput,
): Promise<ClientResponse> {
  const { companyId, appId } = application;
  refuseThisMachine(actor, columns.issuer);
  const { revision: _, ...others } = changes;
  const detail = { ...others, ...(secret === undefined ? {} : { withSecret: secret !== null }) };
  const actions = [
    auditedAction('provider.update', application, `provider ${quoted(provider)}`, columns),
    auditedAction('client.update', application, called(provider, clientId), detail),
  ].filter((audited) => Object.keys(audited.detail ?? {}).length > 0);
  const secretSealed = secret === undefined ? {} : { secretSealed: sealed(deps, secret) };
  const wanted = { ...changes, ...secretSealed };
  const changed = await deps.directory.clients.update(companyId, appId, provider, clientId, wanted, columns, () =>
    actions.map((action) => auditEntry(deps, actor, action)),
  );
  return clientResponse(deps, changed);
}

/** @throws ServiceError as `updateClient` */
export async function deleteClient(
  deps: ChangeDeps,
  actor: Permitted<'provider.change'>,
  application: ApplicationRef,
  provider: string,
  clientId: string,
  revision?: number,
): Promise<void> {
  const { companyId, appId } = application;
  await deps.directory.clients.remove(companyId, appId, provider, clientId, revision, () => [
    auditEntry(deps, actor, auditedAction('client.delete', application, called(provider, clientId), {})),
  ]);
}

/** Only those who run the service may use an issuer on its own machine (`checkedIssuer`). */
function refuseThisMachine(actor: Actor, issuer: string | undefined): void {
  if (actor.kind !== 'user' || issuer === undefined || URL.parse(issuer)?.protocol !== 'http:') return;
  throw malformed('issuer', `expected an https address, got ${quoted(issuer)}.`);
}

function sealed({ seal }: Sealing, secret: string | null): string | null {
  if (secret === null) return null;
  if (secret === '' || secret.length > secretLengthMax || !isWellFormed(secret)) {
    throw malformed('secret', `expected 1 to ${secretLengthMax} characters, or null for a public client.`);
  }
  return seal.seal(secret);
}

function clientResponse(
  { seal }: Sealing,
  { clientId, redirectUri, revision, created, secretSealed }: Client,
): ClientResponse {
  const hasSecret = secretSealed !== null;
  const isSecretLost = hasSecret && !seal.keyIds.has(keyIdOf(secretSealed));
  return { clientId, redirectUri, hasSecret, isSecretLost, revision, created };
}

function called(provider: string, clientId: string): string {
  return `client ${quoted(clientId)} of provider ${quoted(provider)}`;
}

function creationOf(application: ApplicationRef, input: ProviderColumns & { readonly name: string }): AuditedAction {
  return auditedAction('provider.create', application, `provider ${quoted(input.name)}`, { ...input });
}

function auditedAction(
  action: string,
  application: ApplicationRef,
  target: string,
  detail: Readonly<Record<string, unknown>>,
): AuditedAction {
  return { action, target: `${target} of application ${quoted(application.appId)}`, ...application, detail };
}
