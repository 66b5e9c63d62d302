/** Administrators of the installation. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  basedOn,
  envelope,
  filter,
  flag,
  listOf,
  listQuery,
  nothing,
  oneOf,
  optional,
  orNullText,
  requiredText,
  revision,
  search,
  secretText,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const administrator = Type.Object({
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

const ofAdministrator = Type.Object({ administratorId: whole('Administrator id.', { minimum: 1 }) });

export const administratorOperations = administrationOperations({ tag: 'administrators', params: ofAdministrator })({
  listAdministrators: {
    method: 'GET',
    path: '/administrators',
    summary: 'The administrators of the installation',
    permission: 'administrator.read',
    params: nothing,
    query: listQuery({
      id: filter('id'),
      account: filter('account'),
      email: filter('e-mail address'),
      disabled: filter('state, `true` or `false`'),
      search: search('account, e-mail address and name'),
    }),
    answer: listOf(administrator),
  },
  createAdministrator: {
    method: 'POST',
    path: '/administrators',
    summary: 'Add an administrator',
    permission: 'administrator.change',
    params: nothing,
    body: Type.Object({
      account: requiredText('Account name.'),
      email: optional(orNullText('E-mail address, for sign-in through the identity provider.')),
      name: optional(text('Name to show.')),
      password: optional(secretText('Password.')),
    }),
    answer: oneOf(administrator),
  },
  getAdministrator: {
    method: 'GET',
    path: '/administrators/:administratorId',
    summary: 'One administrator',
    permission: 'administrator.read',
    answer: oneOf(administrator),
  },
  updateAdministrator: {
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
  },
  setAdministratorPassword: {
    method: 'PUT',
    path: '/administrators/:administratorId/password',
    summary: 'Set the password of an administrator, which ends the sessions, but for the own one',
    permission: 'administrator.change',
    body: Type.Object({ revision: basedOn, password: secretText('The new password.', { minLength: 1 }) }),
    answer: envelope({}),
  },
  relinkAdministrator: {
    method: 'POST',
    path: '/administrators/:administratorId/relink',
    summary:
      "Forget an administrator's identity and end the sessions: the next sign-in through the identity provider with the verified e-mail address is linked",
    permission: 'administrator.change',
    body: Type.Object({ revision: basedOn }),
    answer: oneOf(administrator),
  },
});
