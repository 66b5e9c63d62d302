/** Companies, their applications, and the versions of these. */
import { entity, revisionColumn } from './entity.ts';

const disabled = { type: 'flag', default: false, filters: 'state, `true` or `false`', heading: 'disabled' } as const;
const refuses = 'True refuses its tokens and sign-ins within five seconds.';
const created = { type: 'time', meaning: 'When it was added.', sorts: true } as const;

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
    corsOrigins: {
      type: 'texts',
      default: '',
      meaning: 'Origins whose scripts may call, such as `https://app.example.com`.',
      given: 'All origins whose scripts may call.',
      flag: {
        name: 'corsOrigin',
        placeholder: '<origin>',
        update: 'Of these origins scripts may call, and of no others; may be given several times, or none.',
      },
      heading: 'CORS origins',
    },
    revision: revisionColumn,
    created,
  },
});
