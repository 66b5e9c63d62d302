/** Users, groups of them, the roles that they hold there, and the administrators of the installation. */
import { entity, revisionColumn } from './entity.ts';

const name = {
  type: 'text',
  meaning: 'Its name.',
  required: true,
  sorts: true,
  filters: 'name',
  searches: true,
} as const;
const description = {
  type: 'text',
  default: '',
  meaning: 'Its purpose.',
  given: true,
  searches: true,
} as const;

const disabled = { type: 'flag', default: false, filters: 'state, `true` or `false`', heading: 'disabled' } as const;
const email = {
  type: 'text',
  nullable: true,
  sorts: true,
  filters: 'e-mail address',
  searches: true,
  heading: 'e-mail',
  listed: true,
} as const;
const hasPassword = { type: 'flag', elsewhere: true, meaning: 'Whether a password is stored.' } as const;
/** argon2id in PHC form; null without a password. */
const passwordHash = { type: 'text', nullable: true, unread: true } as const;

export const user = entity({
  table: 'user',
  key: ['id'],
  searched: 'account, e-mail address and names',
  columns: {
    id: { type: 'id', meaning: 'User id.', sorts: true, filters: 'id', heading: 'id', listed: true },
    companyId: { type: 'whole', meaning: 'Company.' },
    account: {
      type: 'text',
      meaning: 'Account name, unique in the company without regard to case.',
      add: 'Account name.',
      required: true,
      change: 'The new account name.',
      sorts: true,
      filters: 'account',
      searches: true,
      flag: {
        placeholder: '<account>',
        add: 'The account name, unique in the company.',
        update: 'The new account name.',
      },
      heading: 'account',
      listed: true,
    },
    /** Lower case, unique in the company. */
    email: {
      ...email,
      meaning: 'E-mail address, lower case.',
      given: 'E-mail address.',
      flag: {
        placeholder: '<address>',
        add: 'The e-mail address, which the provider must have verified.',
        update: 'The new e-mail address; --email= removes it.',
        clearable: true,
      },
    },
    firstName: {
      type: 'text',
      default: '',
      meaning: 'Given name.',
      given: true,
      sorts: true,
      filters: 'given name',
      searches: true,
      flag: { placeholder: '<name>', add: 'The given name.', update: 'The new given name.', clearable: true },
      heading: 'first name',
      listed: true,
    },
    lastName: {
      type: 'text',
      default: '',
      meaning: 'Family name.',
      given: true,
      sorts: true,
      filters: 'family name',
      searches: true,
      flag: { placeholder: '<name>', add: 'The family name.', update: 'The new family name.', clearable: true },
      heading: 'last name',
      listed: true,
    },
    disabled: {
      ...disabled,
      meaning: 'Whether sign-in and tokens are refused.',
      change: 'True refuses sign-in and tokens within five seconds.',
      listed: true,
    },
    hasPassword,
    passwordHash,
    memberships: { type: 'json', elsewhere: true, meaning: 'All roles of the user, by group.' },
    revision: revisionColumn,
    created: { type: 'time', unread: true },
  },
});

/** Administrators of the installation; they are not users of a company. */
export const administrator = entity({
  table: 'administrator',
  key: ['id'],
  searched: 'account, e-mail address and name',
  columns: {
    id: { type: 'id', meaning: 'Administrator id.', sorts: true, filters: 'id', heading: 'id', listed: true },
    account: {
      type: 'text',
      meaning: 'Account name, unique without regard to case.',
      add: 'Account name.',
      required: true,
      change: 'The new account name.',
      sorts: true,
      filters: 'account',
      searches: true,
      flag: { placeholder: '<account>', add: 'The account name.' },
      heading: 'account',
      listed: true,
    },
    /** Lower case. */
    email: {
      ...email,
      meaning: 'E-mail address in lower case, which the identity provider must have verified.',
      add: 'E-mail address, for sign-in through the identity provider.',
      change: 'E-mail address; a new one unlinks the identity at the provider.',
      flag: { placeholder: '<address>', add: 'The e-mail address, which the identity provider must have verified.' },
    },
    name: {
      type: 'text',
      default: '',
      meaning: 'Display name.',
      given: true,
      sorts: true,
      searches: true,
      flag: { placeholder: '<name>', add: 'The display name.' },
      heading: 'name',
      listed: true,
    },
    disabled: {
      ...disabled,
      meaning: 'Whether the sign-in is refused.',
      change: 'True ends every session of the administrator.',
    },
    hasPassword,
    hasIdentity: {
      type: 'flag',
      elsewhere: true,
      meaning: 'Whether an identity at the provider is linked.',
    },
    passwordHash,
    /** Together with `subject`, the identity at the administrators' provider, set by the first sign-in there. */
    issuer: { type: 'text', nullable: true, unread: true },
    subject: { type: 'text', nullable: true, unread: true },
    revision: revisionColumn,
    created: { type: 'time', meaning: 'When the account was created.' },
  },
});

export const group = entity({
  table: 'user_group',
  key: ['id'],
  searched: 'name and description',
  columns: {
    id: { type: 'id', meaning: 'Group id.', sorts: true, filters: 'id', heading: 'id', listed: true },
    companyId: { type: 'whole', meaning: 'Company.' },
    name: {
      ...name,
      add: true,
      change: 'Another name.',
      flag: { placeholder: '<name>', add: 'Its name, unique in the company.', update: 'The new name.' },
      heading: 'name',
      listed: true,
    },
    description: {
      ...description,
      flag: { placeholder: '<text>', add: 'Its purpose.', update: 'The new description.', clearable: true },
      heading: 'description',
      listed: true,
    },
    revision: revisionColumn,
    created: { type: 'time', unread: true },
  },
});

export const role = entity({
  table: 'role',
  key: ['roleId'],
  searched: 'name and description',
  columns: {
    roleId: {
      type: 'id',
      column: 'id',
      meaning: 'Role id: built-in ones from 1 to 6, custom ones from 100.',
      sorts: true,
      filters: 'id',
    },
    roleName: { ...name, column: 'name', add: true, change: 'Another name.' },
    description,
    companyId: { type: 'whole', nullable: true, meaning: 'Company; null for a built-in role.' },
    unrestricted: {
      type: 'flag',
      default: false,
      meaning:
        'Whether it grants everything on every table: so do built-in roles, and custom roles created before permissions were required, until permissions are set.',
      filters: 'reach, `true` or `false`',
    },
    revision: revisionColumn,
  },
});
