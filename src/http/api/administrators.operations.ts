/** Administrators of the installation. */
import Type from 'typebox';
import { administrator } from '../../entities/people.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { basedOn, envelope, nothing, oneOf, optional, secretText, whole } from '../../operations/shapes.ts';

const { one, adding, changing, list, add, read, change } = operationsOn(administrator);
const ofAdministrator = Type.Object({ administratorId: whole('Administrator id.', { minimum: 1 }) });

export const administratorOperations = administrationOperations({ tag: 'administrators', params: ofAdministrator })({
  listAdministrators: list({
    path: '/administrators',
    summary: 'The administrators of the installation',
    permission: 'administrator.read',
    params: nothing,
  }),
  createAdministrator: add({
    path: '/administrators',
    summary: 'Add an administrator',
    permission: 'administrator.change',
    params: nothing,
    body: Type.Object({ ...adding, password: optional(secretText('Password.')) }),
  }),
  getAdministrator: read({
    path: '/administrators/:administratorId',
    summary: 'One administrator',
    permission: 'administrator.read',
  }),
  updateAdministrator: change({
    path: '/administrators/:administratorId',
    summary: 'Change or disable an administrator; the last enabled one cannot be disabled',
    permission: 'administrator.change',
    body: Type.Object({ revision: basedOn, ...changing }),
  }),
  setAdministratorPassword: {
    method: 'PUT',
    path: '/administrators/:administratorId/password',
    summary: "Set the password of an administrator, which ends the account's sessions except the current one",
    permission: 'administrator.change',
    body: Type.Object({ revision: basedOn, password: secretText('The new password.', { minLength: 1 }) }),
    answer: envelope({}),
  },
  relinkAdministrator: {
    method: 'POST',
    path: '/administrators/:administratorId/relink',
    summary:
      "Remove an administrator's identity and end the sessions: the next sign-in at the identity provider with the verified e-mail address is linked",
    permission: 'administrator.change',
    body: Type.Object({ revision: basedOn }),
    answer: oneOf(one),
  },
});
