/** An application's identity providers, and the clients that it has registered with them. */
import Type from 'typebox';
import { client, provider } from '../../entities/providers.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import {
  appId,
  basedOn,
  choice,
  companyId,
  ofApplication,
  oneOf,
  optional,
  orNull,
  orNullText,
  secretText,
  text,
  whole,
} from '../../operations/shapes.ts';

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

const checks = Type.Array(
  Type.Object({
    check: choice(
      ['discovery', 'issuer', 'keys', 'redirect', 'code', 'nonce', 'signature', 'token', 'claims'],
      'Metadata, their issuer and keys; the address of the redirect, its state and issuer; the exchange of the code; of the ID token: nonce, signature, and form, audience and times; UserInfo.',
    ),
    failure: orNullText('Why it failed; null if it passed.'),
  }),
  { description: 'In order. After a failed check, no further ones are made.' },
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
    summary: 'The clients of an application at a provider',
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
    summary: 'Remove a client; its sign-ins in progress end, sessions stay',
    permission: 'provider.change',
    params: ofClient,
  }),
  tryClient: {
    method: 'POST',
    path: `${clientPath}/:clientId/trial`,
    summary:
      "Begin a trial of the sign-in: fetches the provider's metadata and keys; nobody gets a session; leaves an entry in the audit trail",
    permission: 'provider.change',
    params: ofClient,
    answer: oneOf(
      Type.Object({
        checks,
        location: orNullText('Where to sign in for the trial; null if a check failed.'),
        trial: orNull(
          secretText(''),
          'To be sent to finishClientTrial within `loginFlowLifeMs`; null if a check failed.',
        ),
      }),
    ),
    codes: [105, 130],
  },
  finishClientTrial: {
    method: 'POST',
    path: `${clientPath}/:clientId/trial/finish`,
    summary:
      'Finish a trial: exchanges the code, checks the ID token, and answers the claims; nobody gets a session, and nothing is kept; leaves an entry in the audit trail',
    permission: 'provider.change',
    params: ofClient,
    body: Type.Object({
      trial: secretText('From the answer of tryClient.', { maxLength: 8_192 }),
      address: secretText('The address to which the provider redirected the browser, with all parameters.', {
        maxLength: 16_384,
      }),
    }),
    answer: oneOf(
      Type.Object({
        checks,
        received: orNull(
          Type.Record(Type.String(), Type.Unknown()),
          'The claims of the ID token and of UserInfo; null if a check failed.',
        ),
        account: orNull(
          Type.Object({
            verifiedEmail: orNullText(
              'Address by which an account is found; null where the provider does not verify it.',
            ),
            account: text('Account name that the claim mapping gives; empty for none.'),
            firstName: text('First name.'),
            lastName: text('Last name.'),
            memberships: Type.Array(Type.Object({ groupId: whole('Group.'), roleId: whole('Role.') }), {
              description: 'Roles in groups that the claim mapping gives.',
            }),
          }),
          'What a sign-in would use of them; null if a check failed.',
        ),
      }),
    ),
    codes: [105, 130, 131],
  },
});
