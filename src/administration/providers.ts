/** Identity providers of an application, and its clients at them: every administrative act on them. */
import type { Actor } from '../actor.ts';
import { keyIdOf, type Seal } from '../auth/seal.ts';
import type { Client } from '../directory/clients.ts';
import { notThere } from '../directory/ownership.ts';
import type { Page, PageRequest } from '../directory/paging.ts';
import type { Provider, ProviderChanges, ProviderColumns } from '../directory/providers.ts';
import { malformed, shown } from '../errors.ts';
import { type ApplicationRooms, applicationFor } from './applications.ts';
import { act, type Deed } from './rooms.ts';

export type ProviderRooms = ApplicationRooms & { readonly seal: Pick<Seal, 'seal' | 'keyIds'> };

/** Which application is meant. */
export interface Place {
  readonly companyId: number;
  readonly appId: string;
}

/** Whether there is a secret is told; the secret goes in, and never comes out. */
export interface ShownClient extends Pick<Client, 'clientId' | 'redirectUri' | 'revision' | 'created'> {
  readonly hasSecret: boolean;
  /** Sealed under a key that is not here: it has to be entered anew. */
  readonly isSecretLost: boolean;
}

export interface ClientInput {
  readonly redirectUri?: string;
  /** Null takes it away: a public client. */
  readonly secret?: string | null;
  /** The one that the changes are based on. */
  readonly revision?: number;
}

const secretLengthMax = 2_000;

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` as `page` */
export async function listProviders(
  rooms: ApplicationRooms,
  actor: Actor,
  { companyId, appId }: Place,
  request: PageRequest,
): Promise<Page<Provider>> {
  await applicationFor(rooms, actor, 'provider.read', companyId, appId);
  return rooms.directory.providers.page(companyId, appId, request, rooms.settings);
}

/** @throws ServiceError `forbidden` · 105, 130 unknown */
export async function getProvider(
  rooms: ApplicationRooms,
  actor: Actor,
  { companyId, appId }: Place,
  name: string,
): Promise<Provider> {
  await applicationFor(rooms, actor, 'provider.read', companyId, appId);
  return providerFound(rooms, { companyId, appId }, name);
}

/** @throws ServiceError `forbidden` · 105, 130 · `malformed` bad or taken */
export async function createProvider(
  rooms: ApplicationRooms,
  actor: Actor,
  place: Place,
  input: ProviderColumns & { readonly name: string },
): Promise<Provider> {
  await applicationFor(rooms, actor, 'provider.change', place.companyId, place.appId);
  refuseThisMachine(actor, input.issuer);
  const deed = deedOn('provider.create', place, `provider ${shown(input.name)}`, { ...input });
  return act(rooms, actor, deed, ({ providers }) => providers.create({ ...input, ...place }));
}

/** @throws ServiceError `forbidden` · 105, 130 unknown, or with 409 another revision · `malformed` */
export async function updateProvider(
  rooms: ApplicationRooms,
  actor: Actor,
  place: Place,
  name: string,
  changes: ProviderChanges,
): Promise<Provider> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.change', companyId, appId);
  refuseThisMachine(actor, changes.issuer);
  const { revision: _, ...detail } = changes;
  const deed = deedOn('provider.update', place, `provider ${shown(name)}`, detail);
  return act(rooms, actor, deed, ({ providers }) => providers.update(companyId, appId, name, changes));
}

/** With its clients. @throws ServiceError as `updateProvider` */
export async function deleteProvider(
  rooms: ApplicationRooms,
  actor: Actor,
  place: Place,
  name: string,
  revision?: number,
): Promise<void> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.change', companyId, appId);
  const deed = deedOn('provider.delete', place, `provider ${shown(name)}`, {});
  await act(rooms, actor, deed, ({ providers }) => providers.remove(companyId, appId, name, revision));
}

/** @throws ServiceError `forbidden` · 105, 130 unknown provider · `malformed` as `page` */
export async function listClients(
  rooms: ProviderRooms,
  actor: Actor,
  place: Place,
  provider: string,
  request: PageRequest,
): Promise<Page<ShownClient>> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.read', companyId, appId);
  await providerFound(rooms, place, provider);
  const { results, count } = await rooms.directory.clients.page(companyId, appId, provider, request, rooms.settings);
  return { results: results.map((client) => shownClient(rooms, client)), count };
}

/** @throws ServiceError `forbidden` · 105, 130 unknown */
export async function getClient(
  rooms: ProviderRooms,
  actor: Actor,
  place: Place,
  provider: string,
  clientId: string,
): Promise<ShownClient> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.read', companyId, appId);
  await providerFound(rooms, place, provider);
  const client = await rooms.directory.clients.find(companyId, appId, provider, clientId);
  if (client === null) throw notThere('client', clientId, `provider ${shown(provider)} of this application`);
  return shownClient(rooms, client);
}

/** @throws ServiceError `forbidden` · 105, 130 unknown provider · `malformed` bad or taken */
export async function createClient(
  rooms: ProviderRooms,
  actor: Actor,
  place: Place,
  provider: string,
  input: { readonly clientId: string; readonly redirectUri: string; readonly secret?: string | null },
): Promise<ShownClient> {
  await applicationFor(rooms, actor, 'provider.change', place.companyId, place.appId);
  await providerFound(rooms, place, provider);
  const { clientId, redirectUri } = input;
  const secretSealed = sealed(rooms, input.secret ?? null);
  const detail = { redirectUri, withSecret: secretSealed !== null };
  const deed = deedOn('client.create', place, called(provider, clientId), detail);
  const client = { ...place, providerName: provider, clientId, redirectUri, secretSealed };
  return shownClient(rooms, await act(rooms, actor, deed, ({ clients }) => clients.create(client)));
}

/** @throws ServiceError `forbidden` · 105, 130 unknown, or with 409 another revision · `malformed` */
export async function updateClient(
  rooms: ProviderRooms,
  actor: Actor,
  place: Place,
  provider: string,
  clientId: string,
  { secret, ...changes }: ClientInput,
): Promise<ShownClient> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.change', companyId, appId);
  const { revision: _, ...detail } = changes;
  const secretChange = secret === undefined ? {} : { withSecret: secret !== null };
  const deed = deedOn('client.update', place, called(provider, clientId), { ...detail, ...secretChange });
  const wanted = { ...changes, ...(secret === undefined ? {} : { secretSealed: sealed(rooms, secret) }) };
  return shownClient(
    rooms,
    await act(rooms, actor, deed, ({ clients }) => clients.update(companyId, appId, provider, clientId, wanted)),
  );
}

/** @throws ServiceError as `updateClient` */
export async function deleteClient(
  rooms: ApplicationRooms,
  actor: Actor,
  place: Place,
  provider: string,
  clientId: string,
  revision?: number,
): Promise<void> {
  const { companyId, appId } = place;
  await applicationFor(rooms, actor, 'provider.change', companyId, appId);
  const deed = deedOn('client.delete', place, called(provider, clientId), {});
  await act(rooms, actor, deed, ({ clients }) => clients.remove(companyId, appId, provider, clientId, revision));
}

/** What listens on the machine of the service, is for those to reach who run it (`checkedIssuer`). */
function refuseThisMachine(actor: Actor, issuer: string | undefined): void {
  if (actor.kind !== 'user' || issuer === undefined || URL.parse(issuer)?.protocol !== 'http:') return;
  throw malformed('issuer', `${shown(issuer)} came; an https address was expected.`);
}

async function providerFound(
  { directory }: Pick<ApplicationRooms, 'directory'>,
  { companyId, appId }: Place,
  name: string,
): Promise<Provider> {
  const provider = await directory.providers.find(companyId, appId, name);
  if (provider === null) throw notThere('provider', name, `application ${shown(appId)}`);
  return provider;
}

function sealed({ seal }: ProviderRooms, secret: string | null): string | null {
  if (secret === null) return null;
  if (secret === '' || secret.length > secretLengthMax || /[\0\p{Cs}]/u.test(secret)) {
    throw malformed('secret', `1 to ${secretLengthMax} characters were expected, or null for a public client.`);
  }
  return seal.seal(secret);
}

function shownClient(
  { seal }: ProviderRooms,
  { clientId, redirectUri, revision, created, secretSealed }: Client,
): ShownClient {
  const hasSecret = secretSealed !== null;
  const isSecretLost = hasSecret && !seal.keyIds.has(keyIdOf(secretSealed));
  return { clientId, redirectUri, hasSecret, isSecretLost, revision, created };
}

function called(provider: string, clientId: string): string {
  return `client ${shown(clientId)} of provider ${shown(provider)}`;
}

function deedOn(action: string, place: Place, target: string, detail: Readonly<Record<string, unknown>>): Deed {
  return { action, target: `${target} of application ${shown(place.appId)}`, ...place, detail };
}
