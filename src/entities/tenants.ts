/** Companies, their applications, and the versions of these. */
import { entity, revisionColumn } from './entity.ts';

const disabled = { type: 'flag', default: false, filters: 'state, `true` or `false`', heading: 'disabled' } as const;
const refuses = 'True refuses its tokens and sign-ins within five seconds.';
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
      flag: { placeholder: '<name>', add: 'Its name, for people.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    disabled: { ...disabled, meaning: 'Whether its tokens and sign-ins are refused.', change: refuses, listed: true },
    storageBytesMax: {
      ...quota,
      meaning: 'Bytes that its data may take; null is without a limit.',
      flag: {
        name: 'storageMax',
        placeholder: '<bytes>',
        update: 'How much its records may take: bytes, or 500MiB, 20GiB; none for no limit.',
      },
    },
    logEntriesMax: {
      ...quota,
      meaning: 'Log entries of clients that are kept; null is without a limit.',
      flag: {
        placeholder: '<number>',
        update: 'How many log messages of its clients are kept; none for no limit.',
      },
    },
    requestsAtOnceMax: {
      ...quota,
      meaning: 'Requests that are answered at the same time; null means no limit.',
      flag: {
        placeholder: '<number>',
        update: 'How many of its requests one process works on at the same time; none for no limit.',
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
      flag: { placeholder: '<name>', add: 'Its name, for people; the id when absent.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    /** SHA-256, hex; the key itself is shown once, when it is made. */
    appKeyHash: { type: 'text' },
    disabled: { ...disabled, meaning: 'Whether its tokens and sign-ins are refused.', change: refuses, listed: true },
    groupIds: {
      type: 'wholes',
      elsewhere: true,
      meaning: 'Groups that may use it; none means every group of the company.',
      given: 'All groups that may use it; none means every group of the company.',
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
      meaning: 'Group that new accounts come into.',
      given: true,
      heading: 'default group',
    },
    defaultRoleId: {
      type: 'whole',
      nullable: true,
      meaning: 'Role that they get there.',
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
        'What App Admins of its groups may do with its records in the administration, whoever owns them: nothing, see them, or change them too.',
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
      meaning: 'Origins whose scripts may call, such as `https://app.example.com`.',
      given: 'All origins whose scripts may call.',
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
      meaning: 'Its data space; versions that share their tables have the same one.',
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
      meaning: 'What clients are told to send.',
      given: true,
      sorts: true,
      filters: 'level',
      flag: { add: 'Level that clients are told to log at.', update: 'Level that clients are told to log at.' },
      heading: 'log level',
      listed: true,
    },
    development: {
      type: 'flag',
      default: false,
      meaning: 'Whether its tables may be reset, while it shares them with no other version.',
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
        'Whether requests are handled strictly that carry no `Prefer: handling=…`: unknown members and parameters are refused.',
      given: true,
      filters: 'handling, `true` or `false`',
      heading: 'strict',
      listed: true,
    },
    revision: revisionColumn,
    created,
  },
});
