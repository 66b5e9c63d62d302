/** Administrators of the installation. */
import Type from 'typebox';
import { envelope, nothing, optional, requiredText, secretText, text } from '../shapes.ts';
import { type AdminOperation, adminFaults } from './operation.ts';
import {
  basedOn,
  filter,
  flag,
  listOf,
  listQuery,
  noParams,
  oneOf,
  orNullText,
  revision,
  search,
  time,
  whole,
} from './shapes.ts';

export const administrator = Type.Object({
  id: whole('Administrator id.'),
  account: text('Account name, unique without regard to case.'),
  email: orNullText('The one that the identity provider must vouch for, lower case.'),
  name: text('Name to show.'),
  disabled: flag('Whether the sign-in is refused.'),
  hasPassword: flag('Whether a password is stored.'),
  hasIdentity: flag('Whether there was a sign-in through the identity provider.'),
  revision,
  createTime: time('When the account was made.'),
});

export const ofAdministrator = Type.Object({ administratorId: whole('Administrator id.', { minimum: 1 }) });
const base = {
  tag: 'administrators',
  params: ofAdministrator,
  query: nothing,
  body: null,
  codes: [],
  faults: adminFaults.write,
} as const;

export const listAdministrators = {
  ...base,
  name: 'listAdministrators',
  method: 'GET',
  path: '/administrators',
  summary: 'The administrators of the installation',
  permission: 'administrator.read',
  params: noParams,
  query: listQuery({
    id: filter('id'),
    account: filter('account'),
    email: filter('e-mail address'),
    disabled: filter('state, `true` or `false`'),
    search: search('account, e-mail address and name'),
  }),
  answer: listOf(administrator),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const createAdministrator = {
  ...base,
  name: 'createAdministrator',
  method: 'POST',
  path: '/administrators',
  summary: 'Add an administrator',
  permission: 'administrator.change',
  params: noParams,
  body: Type.Object({
    account: requiredText('Account name.'),
    email: optional(orNullText('E-mail address, for sign-in through the identity provider.')),
    name: optional(text('Name to show.')),
    password: optional(secretText('Password.')),
  }),
  answer: oneOf(administrator),
} as const satisfies AdminOperation;

export const getAdministrator = {
  ...base,
  name: 'getAdministrator',
  method: 'GET',
  path: '/administrators/:administratorId',
  summary: 'One administrator',
  permission: 'administrator.read',
  answer: oneOf(administrator),
  faults: adminFaults.read,
} as const satisfies AdminOperation;

export const updateAdministrator = {
  ...base,
  name: 'updateAdministrator',
  method: 'PUT',
  path: '/administrators/:administratorId',
  summary: 'Change or disable an administrator; one who is enabled always stays',
  permission: 'administrator.change',
  body: Type.Object({
    revision: basedOn,
    account: optional(text('Another account name.')),
    email: optional(orNullText('E-mail address; another one is another person at the provider.')),
    name: optional(text('Name to show.')),
    disabled: optional(flag('True ends every session of the administrator.')),
  }),
  answer: oneOf(administrator),
} as const satisfies AdminOperation;

export const setAdministratorPassword = {
  ...base,
  name: 'setAdministratorPassword',
  method: 'PUT',
  path: '/administrators/:administratorId/password',
  summary: 'Set the password of an administrator, which ends the sessions, but for the own one',
  permission: 'administrator.change',
  body: Type.Object({ revision: basedOn, password: secretText('The new password.', { minLength: 1 }) }),
  answer: envelope({}),
} as const satisfies AdminOperation;
