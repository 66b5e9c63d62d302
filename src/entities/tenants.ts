/** Companies, their applications, and the applications' versions. */
import { entity, revisionColumn } from './entity.ts';

const disabled = { type: 'flag', default: false, filters: 'state, `true` or `false`', heading: 'disabled' } as const;
const refuses = 'True refuses its tokens and sign-ins, within five seconds.';
const created = { type: 'time', meaning: 'When it was added.', sorts: true } as const;

const quota = { type: 'whole', minimum: 1, nullable: true, given: true } as const;

export const company = entity({
  table: 'company',
  key: ['id'],
  searched: 'the name',
  columns: {
    id: {
      type: 'id',
      meaning: 'Company id, in paths.',
      add: 'Its id; the next free one when absent.',
      sorts: true,
      filters: 'id',
      heading: 'id',
      listed: true,
    },
    name: {
      type: 'text',
      meaning: 'Its name.',
      add: true,
      required: true,
      change: 'Another name.',
      sorts: true,
      filters: 'name',
      searches: true,
      flag: { placeholder: '<name>', add: 'Its display name.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    disabled: { ...disabled, meaning: 'Whether its tokens and sign-ins are refused.', change: refuses, listed: true },
    storageBytesMax: {
      ...quota,
      meaning: 'Bytes that its data may take; null means no limit.',
      flag: {
        name: 'storageMax',
        placeholder: '<bytes>',
        update: 'Storage for its records: bytes, or 500MiB, 20GiB; none for no limit.',
      },
    },
    logEntriesMax: {
      ...quota,
      meaning: 'Log entries of clients that are kept; null means no limit.',
      flag: {
        placeholder: '<number>',
        update: 'Log messages of its clients that are kept; none for no limit.',
      },
    },
    requestsAtOnceMax: {
      ...quota,
      meaning: 'Requests that are handled at the same time; null means no limit.',
      flag: {
        placeholder: '<number>',
        update: 'Its requests that one process handles at the same time; none for no limit.',
      },
    },
    revision: revisionColumn,
    created,
  },
});

export const application = entity({
  table: 'application',
  key: ['companyId', 'appId'],
  searched: 'id and name',
  columns: {
    companyId: { type: 'whole', meaning: 'Company.' },
    appId: {
      type: 'text',
      meaning: 'Application id, in paths.',
      add: 'Its id: letters, digits, `.`, `_` and `-`.',
      required: true,
      sorts: true,
      filters: 'id',
      searches: true,
      heading: 'app',
      listed: true,
    },
    name: {
      type: 'text',
      meaning: 'Its name.',
      given: true,
      sorts: true,
      filters: 'name',
      searches: true,
      flag: { placeholder: '<name>', add: 'Its display name; the id when absent.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    /** SHA-256, hex; the key itself is shown once, when it is created. */
    appKeyHash: { type: 'text' },
    disabled: { ...disabled, meaning: 'Whether its tokens and sign-ins are refused.', change: refuses, listed: true },
    groupIds: {
      type: 'wholes',
      elsewhere: true,
      meaning: 'Groups that may use it; an empty list means every group of the company.',
      given: 'All groups that may use it; an empty list means every group of the company.',
    },
    accountPolicy: {
      type: 'choice',
      words: ['refuse', 'create'],
      default: 'refuse',
      meaning:
        'What happens to an unknown account at a sign-in through a provider: `create` needs a default group and role.',
      given: true,
      heading: 'accounts',
      listed: true,
    },
    defaultGroupId: {
      type: 'whole',
      nullable: true,
      meaning: 'Group of new accounts.',
      given: true,
      heading: 'default group',
    },
    defaultRoleId: {
      type: 'whole',
      nullable: true,
      meaning: 'Role of new accounts in that group.',
      given: true,
      heading: 'default role',
    },
    localAccounts: {
      type: 'flag',
      default: false,
      meaning: 'Whether its users may sign in with a password.',
      given: true,
      filters: 'setting, `true` or `false`',
      flag: { update: 'Whether its users may sign in with a password (rowhouse user password).' },
      heading: 'local accounts',
    },
    recordAccess: {
      type: 'choice',
      words: ['none', 'read', 'write'],
      default: 'none',
      meaning:
        "Access of its groups' App Admins to all of its records in the administration: none, seeing them, or changing them too.",
      given: true,
      flag: {
        update:
          'What App Admins may do with its records in the administration, whoever owns them: none, read, or write.',
      },
      heading: 'records for App Admins',
    },
    corsOrigins: {
      type: 'texts',
      default: '',
      meaning: 'Origins whose scripts may call the application, such as `https://app.example.com`.',
      given: 'All origins whose scripts may call the application.',
      flag: {
        name: 'corsOrigin',
        placeholder: '<origin>',
        update:
          'Origins whose scripts may call the application; no others may. May be given several times; none allows no origin.',
      },
      heading: 'CORS origins',
    },
    revision: revisionColumn,
    created,
  },
});

export const version = entity({
  table: 'app_version',
  key: ['companyId', 'appId', 'version'],
  searched: 'the version',
  columns: {
    companyId: { type: 'whole', meaning: 'Company.' },
    appId: { type: 'text', meaning: 'Application.', heading: 'app', listed: true },
    version: {
      type: 'text',
      meaning: 'Dotted form.',
      add: '`1.0.0` or `1_0_0`.',
      required: true,
      sorts: true,
      filters: 'version, in its dotted form',
      searches: true,
      heading: 'version',
      listed: true,
    },
    spaceId: {
      type: 'whole',
      meaning: 'Its data space; versions that share tables have the same one.',
      heading: 'data space',
      listed: true,
    },
    sharedSpace: {
      type: 'flag',
      elsewhere: true,
      meaning: 'Whether another version has the same data space.',
      heading: 'shared',
      listed: true,
    },
    logLevel: {
      type: 'choice',
      words: ['ERROR', 'MONITOR'],
      default: 'MONITOR',
      meaning: 'Which messages clients should send.',
      given: true,
      sorts: true,
      filters: 'level',
      flag: { add: 'Log level for clients.', update: 'Log level for clients.' },
      heading: 'log level',
      listed: true,
    },
    development: {
      type: 'flag',
      default: false,
      meaning: 'Whether its tables may be reset, unless another version shares them.',
      given: 'Whether its tables may be reset.',
      filters: 'state, `true` or `false`',
      heading: 'in development',
      listed: true,
    },
    disabled: { ...disabled, meaning: 'Whether its tokens and sign-ins are refused.', change: refuses, listed: true },
    strictHandling: {
      type: 'flag',
      default: false,
      meaning:
        'Whether requests without `Prefer: handling=…` are handled strictly: unknown members and parameters are refused.',
      given: true,
      filters: 'handling, `true` or `false`',
      heading: 'strict',
      listed: true,
    },
    revision: revisionColumn,
    created,
  },
});
