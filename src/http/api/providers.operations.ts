/** An application's identity providers, and the clients that it has registered with them. */
import Type from 'typebox';
import { client, provider } from '../../entities/providers.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { appId, basedOn, companyId, ofApplication, optional, secretText, text } from '../../operations/shapes.ts';

const providerName = text('Name of the provider; `idp` is the usual one.');
const ofProvider = Type.Object({ companyId, appId, provider: providerName });
const ofClient = Type.Object({ companyId, appId, provider: providerName, clientId: text('Client id.') });

const providers = operationsOn(provider);
const clients = operationsOn(client);
const secret = optional(
  Type.Union([secretText(''), Type.Null()], {
    description: 'Client secret; null for a public client.',
    format: 'password',
  }),
);

const path = '/companies/:companyId/applications/:appId/providers';
const clientPath = `${path}/:provider/clients` as const;

export const providerOperations = administrationOperations({ tag: 'providers', codes: [105], params: ofProvider })({
  listProviders: providers.list({
    path,
    summary: 'The identity providers of an application',
    permission: 'provider.read',
    params: ofApplication,
  }),
  createProvider: providers.add({
    path,
    summary: 'Add an identity provider',
    permission: 'provider.change',
    params: ofApplication,
    body: Type.Object(providers.adding),
  }),
  getProvider: providers.read({
    path: `${path}/:provider`,
    summary: 'One identity provider',
    permission: 'provider.read',
  }),
  updateProvider: providers.change({
    path: `${path}/:provider`,
    summary: 'Change an identity provider',
    permission: 'provider.change',
    body: Type.Object({ revision: basedOn, ...providers.changing }),
  }),
  deleteProvider: providers.remove({
    path: `${path}/:provider`,
    summary: 'Remove an identity provider with its clients; sessions stay',
    permission: 'provider.change',
  }),
  listClients: clients.list({
    path: clientPath,
    summary: 'The clients that an application has at a provider',
    permission: 'provider.read',
  }),
  createClient: clients.add({
    path: clientPath,
    summary: 'Add a client, as it is registered at the provider',
    permission: 'provider.change',
    body: Type.Object({ ...clients.adding, secret }),
  }),
  getClient: clients.read({
    path: `${clientPath}/:clientId`,
    summary: 'One client',
    permission: 'provider.read',
    params: ofClient,
  }),
  updateClient: clients.change({
    path: `${clientPath}/:clientId`,
    summary: 'Change the secret or the redirect address of a client',
    permission: 'provider.change',
    params: ofClient,
    body: Type.Object({ revision: basedOn, ...clients.changing, secret }),
  }),
  deleteClient: clients.remove({
    path: `${clientPath}/:clientId`,
    summary: 'Remove a client; sign-ins that are under way with it end, sessions stay',
    permission: 'provider.change',
    params: ofClient,
  }),
});
