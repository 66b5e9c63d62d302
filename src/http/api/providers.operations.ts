/** Identity providers of an application, and its clients at them. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  appId,
  basedOn,
  choice,
  companyId,
  envelope,
  filter,
  flag,
  listOf,
  listQuery,
  ofApplication,
  oneOf,
  optional,
  orNull,
  requiredText,
  revision,
  revisionQuery,
  search,
  secretText,
  text,
  time,
} from '../../operations/shapes.ts';

const providerName = text('Name of the provider; `idp` is the usual one.');
const ofProvider = Type.Object({ companyId, appId, provider: providerName });
const ofClient = Type.Object({ companyId, appId, provider: providerName, clientId: text('Client id.') });

const policy = orNull(
  choice(['refuse', 'create'], ''),
  'What happens to an unknown account: `refuse`, `create`, or null for what the application says.',
);
const mapping = Type.Unknown({
  description: 'Which claims become groups, roles and names: {claims, values, defaultRole, keepInStep, names}.',
});

const provider = Type.Object({
  name: providerName,
  issuer: text('Its address.'),
  scopes: text('What is asked for, separated by spaces.'),
  claimMapping: mapping,
  accountPolicy: policy,
  revision,
  createTime: time('When it was added.'),
});

const client = Type.Object({
  clientId: text('Client id.'),
  redirectUri: text('Where the provider sends the browser back to.'),
  hasSecret: flag('Whether there is a client secret, which is kept sealed and never shown.'),
  isSecretLost: flag('Whether the key is missing that opens the secret, which then has to be entered anew.'),
  revision,
  createTime: time('When it was added.'),
});

const given = {
  scopes: optional(text('Scopes with `openid` among them; `openid email` for a new one when absent.')),
  claimMapping: optional(mapping),
  accountPolicy: optional(policy),
};
const secret = optional(
  Type.Union([secretText(''), Type.Null()], {
    description: 'Client secret; null for a public client.',
    format: 'password',
  }),
);

const path = '/companies/:companyId/applications/:appId/providers';
const clientPath = `${path}/:provider/clients` as const;

export const providerOperations = administrationOperations({ tag: 'providers', codes: [105], params: ofProvider })({
  listProviders: {
    method: 'GET',
    path,
    summary: 'The identity providers of an application',
    permission: 'provider.read',
    params: ofApplication,
    query: listQuery({ name: filter('name'), issuer: filter('issuer'), search: search('name and issuer') }),
    answer: listOf(provider),
  },
  createProvider: {
    method: 'POST',
    path,
    summary: 'Add an identity provider',
    permission: 'provider.change',
    params: ofApplication,
    body: Type.Object({
      name: requiredText('Path segment of the sign-in: letters, digits, `.`, `_` and `-`.'),
      issuer: requiredText('Its address: https, without query and fragment.'),
      ...given,
    }),
    answer: oneOf(provider),
  },
  getProvider: {
    method: 'GET',
    path: `${path}/:provider`,
    summary: 'One identity provider',
    permission: 'provider.read',
    answer: oneOf(provider),
  },
  updateProvider: {
    method: 'PUT',
    path: `${path}/:provider`,
    summary: 'Change an identity provider',
    permission: 'provider.change',
    body: Type.Object({ revision: basedOn, issuer: optional(text('Another address.')), ...given }),
    answer: oneOf(provider),
  },
  deleteProvider: {
    method: 'DELETE',
    path: `${path}/:provider`,
    summary: 'Remove an identity provider with its clients; sessions stay',
    permission: 'provider.change',
    query: revisionQuery,
    answer: envelope({}),
  },
  listClients: {
    method: 'GET',
    path: clientPath,
    summary: 'The clients that an application has at a provider',
    permission: 'provider.read',
    query: listQuery({
      clientId: filter('client id'),
      redirectUri: filter('redirect address'),
      search: search('client id and redirect address'),
    }),
    answer: listOf(client),
  },
  createClient: {
    method: 'POST',
    path: clientPath,
    summary: 'Add a client, as it is registered at the provider',
    permission: 'provider.change',
    body: Type.Object({
      clientId: requiredText('Client id.'),
      redirectUri: requiredText('Redirect address; each issuer of the application needs one of its own.'),
      secret,
    }),
    answer: oneOf(client),
  },
  getClient: {
    method: 'GET',
    path: `${clientPath}/:clientId`,
    summary: 'One client',
    permission: 'provider.read',
    params: ofClient,
    answer: oneOf(client),
  },
  updateClient: {
    method: 'PUT',
    path: `${clientPath}/:clientId`,
    summary: 'Change the secret or the redirect address of a client',
    permission: 'provider.change',
    params: ofClient,
    body: Type.Object({ revision: basedOn, redirectUri: optional(text('Another address.')), secret }),
    answer: oneOf(client),
  },
  deleteClient: {
    method: 'DELETE',
    path: `${clientPath}/:clientId`,
    summary: 'Remove a client; sign-ins that are under way with it end, sessions stay',
    permission: 'provider.change',
    params: ofClient,
    query: revisionQuery,
    answer: envelope({}),
  },
});
