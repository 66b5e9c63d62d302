/** Acts on identity providers, and on the clients at them. */
import { type Act, entry, shop } from './act.ts';
import { newPassword, type Subject } from './surfaces.ts';

const issuer = 'https://idp.example.com';
const makeProvider: Act['make'] = async ({ directory }, name) => {
  const { revision } = await directory.providers.create({ ...shop, name, issuer });
  return { revision };
};
const redirectUri = (name: string) => `app.example:/${name}`;
const makeClient: Act['make'] = async ({ directory }, name) => {
  const client = { ...shop, providerName: name, clientId: 'phone', redirectUri: redirectUri(name) };
  const { revision } = await directory.clients.create({ ...client, newProvider: { issuer }, secretSealed: null });
  return { revision };
};
const ofProvider = ({ name: provider }: Subject) => ({ ...shop, provider });
const ofClient = (subject: Subject) => ({ ...ofProvider(subject), clientId: 'phone' });
const providerEntry = (action: string, detail: object) => (subject: Subject) =>
  entry(`provider.${action}`, `provider "${subject.name}" of application "shop"`, detail, 'shop');
const clientEntry = (action: string, detail: object) => (subject: Subject) => {
  const target = `client "phone" of provider "${subject.name}" of application "shop"`;
  return entry(`client.${action}`, target, detail, 'shop');
};
const changedProvider = { issuer: 'https://other.example.com', scopes: 'openid', accountPolicy: 'create' };
const secret = { ROWHOUSE_CLIENT_SECRET: newPassword };
const clientLine = (what: string, { name }: Subject) =>
  `client ${what} --company 1 --app shop --provider ${name} --client-id phone`;

export const providerActs: readonly Act[] = [
  {
    name: 'provider.create',
    admin: ({ name }) => ['createProvider', { params: shop, body: { name, issuer, scopes: 'openid' } }],
    entry: (subject) => providerEntry('create', { name: subject.name, issuer, scopes: 'openid' })(subject),
  },
  {
    name: 'provider.create and client.create',
    cli: (subject) => [
      `${clientLine('add', subject)} --issuer ${issuer} --scopes openid --redirect-uri ${redirectUri(subject.name)}`,
    ],
    entry: (subject) => [
      providerEntry('create', { name: subject.name, issuer, scopes: 'openid' })(subject),
      clientEntry('create', { redirectUri: redirectUri(subject.name), withSecret: false })(subject),
    ],
  },
  {
    name: 'provider.update',
    make: makeClient!,
    admin: (subject) => [
      'updateProvider',
      { params: ofProvider(subject), body: { revision: subject.revision, ...changedProvider } },
    ],
    cli: (subject) => [
      `${clientLine('update', subject)} --issuer ${changedProvider.issuer} --scopes openid --accounts create`,
    ],
    entry: providerEntry('update', changedProvider),
  },
  {
    name: 'provider.update and client.update',
    make: makeClient!,
    cli: (subject) => [
      `${clientLine('update', subject)} --issuer ${changedProvider.issuer} --redirect-uri b.example:/`,
    ],
    entry: (subject) => [
      providerEntry('update', { issuer: changedProvider.issuer })(subject),
      clientEntry('update', { redirectUri: 'b.example:/' })(subject),
    ],
  },
  {
    name: 'provider.delete',
    make: makeProvider!,
    admin: (subject) => ['deleteProvider', { params: ofProvider(subject), query: { revision: subject.revision } }],
    entry: providerEntry('delete', {}),
  },
  {
    name: 'client.create',
    make: makeProvider!,
    admin: (subject) => {
      const body = { clientId: 'phone', redirectUri: redirectUri(subject.name), secret: newPassword };
      return ['createClient', { params: ofProvider(subject), body }];
    },
    cli: (subject) => [`${clientLine('add', subject)} --redirect-uri ${redirectUri(subject.name)}`, secret],
    entry: (subject) => clientEntry('create', { redirectUri: redirectUri(subject.name), withSecret: true })(subject),
  },
  {
    name: 'client.update',
    make: makeClient!,
    admin: (subject) => {
      const body = { revision: subject.revision, redirectUri: 'a.example:/', secret: newPassword };
      return ['updateClient', { params: ofClient(subject), body }];
    },
    cli: (subject) => [`${clientLine('update', subject)} --redirect-uri a.example:/`, secret],
    entry: clientEntry('update', { redirectUri: 'a.example:/', withSecret: true }),
  },
  {
    name: 'client.update without a secret',
    make: makeClient!,
    admin: (subject) => [
      'updateClient',
      { params: ofClient(subject), body: { revision: subject.revision, secret: null } },
    ],
    cli: (subject) => [`${clientLine('update', subject)} --no-secret`],
    entry: clientEntry('update', { withSecret: false }),
  },
  {
    name: 'client.delete',
    make: makeClient!,
    admin: (subject) => ['deleteClient', { params: ofClient(subject), query: { revision: subject.revision } }],
    cli: (subject) => [clientLine('remove', subject)],
    entry: clientEntry('delete', {}),
  },
];
