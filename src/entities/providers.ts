/** OIDC providers of an application, and the clients that it has there. */
import { entity, revisionColumn } from './entity.ts';

const created = { type: 'time', meaning: 'When it was added.', sorts: true } as const;

export const provider = entity({
  table: 'provider',
  key: ['companyId', 'appId', 'name'],
  searched: 'name and issuer',
  columns: {
    companyId: { type: 'whole', unread: true },
    appId: { type: 'text', unread: true },
    /** Path segment of Authenticate and Login. */
    name: {
      type: 'text',
      meaning: 'Name of the provider; `idp` is the usual one.',
      add: 'Path segment of the sign-in: letters, digits, `.`, `_` and `-`.',
      required: true,
      sorts: true,
      filters: 'name',
      searches: true,
    },
    issuer: {
      type: 'text',
      meaning: 'Its address.',
      add: 'Its address: https, without query and fragment.',
      required: true,
      change: 'Another address.',
      sorts: true,
      filters: 'issuer',
      searches: true,
    },
    scopes: {
      type: 'text',
      default: 'openid email',
      meaning: 'Requested scopes, separated by spaces.',
      given: 'Scopes, including `openid`; `openid email` for a new provider when absent.',
    },
    claimMapping: {
      type: 'json',
      default: '{}',
      meaning: 'Which claims become groups, roles and names: {claims, values, defaultRole, keepInStep, names}.',
      given: true,
    },
    /** If null, the application's policy applies. */
    accountPolicy: {
      type: 'choice',
      words: ['refuse', 'create'],
      nullable: true,
      meaning: 'What happens to an unknown account: `refuse`, `create`, or null for the policy of the application.',
      given: true,
    },
    revision: revisionColumn,
    created,
  },
});

export const client = entity({
  table: 'oidc_client',
  key: ['companyId', 'appId', 'providerName', 'clientId'],
  searched: 'client id and redirect address',
  columns: {
    companyId: { type: 'whole', unread: true },
    appId: { type: 'text', unread: true },
    providerName: { type: 'text' },
    clientId: {
      type: 'text',
      meaning: 'Client id.',
      add: true,
      required: true,
      sorts: true,
      filters: 'client id',
      searches: true,
    },
    redirectUri: {
      type: 'text',
      meaning: 'The address to which the provider sends the browser back.',
      add: 'Redirect address; each issuer of the application needs its own.',
      required: true,
      change: 'Another address.',
      sorts: true,
      filters: 'redirect address',
      searches: true,
    },
    hasSecret: {
      type: 'flag',
      elsewhere: true,
      meaning: 'Whether there is a client secret, which is stored sealed and never shown.',
    },
    isSecretLost: {
      type: 'flag',
      elsewhere: true,
      meaning: 'Whether the key that opens the secret is missing; the secret must then be entered again.',
    },
    /** Null for a public client. */
    secretSealed: { type: 'text', nullable: true, sealed: true },
    revision: revisionColumn,
    created,
  },
});
