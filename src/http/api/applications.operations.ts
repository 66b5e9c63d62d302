/** Applications of a company: key, allowed groups, account policy, local accounts, origins. */
import Type from 'typebox';
import { application } from '../../entities/tenants.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { basedOn, ofApplication, ofCompany, oneOf, optional, secretText, text } from '../../operations/shapes.ts';

const { one, adding, changing, list, add, read, change } = operationsOn(application);
const { appId, ...added } = adding;
const { disabled, ...changed } = changing;
const appKey = optional(secretText('8 to 200 printable ASCII characters; 256 random bits when absent.'));
const withKey = oneOf(
  Type.Object({ application: one, appKey: text('The app key, shown only this once: only its hash is stored.') }),
);

export const applicationOperations = administrationOperations({ tag: 'applications', params: ofApplication })({
  listApplications: list({
    path: '/companies/:companyId/applications',
    summary: 'The applications of a company that the caller may see',
    permission: 'application.read',
    params: ofCompany,
  }),
  createApplication: add({
    path: '/companies/:companyId/applications',
    summary: 'Add an application, and get its key, which is not shown again',
    permission: 'application.create',
    params: ofCompany,
    body: Type.Object({ appId, appKey, ...added }),
    answer: withKey,
  }),
  getApplication: read({
    path: '/companies/:companyId/applications/:appId',
    summary: 'One application',
    permission: 'application.read',
    codes: [105],
  }),
  updateApplication: change({
    path: '/companies/:companyId/applications/:appId',
    summary:
      'Change an application; account policy, defaults and local accounts need `application.accounts`, that is, Super Admin',
    permission: 'application.update',
    body: Type.Object({ revision: basedOn, disabled, ...changed }),
    codes: [105],
  }),
  replaceAppKey: {
    method: 'POST',
    path: '/companies/:companyId/applications/:appId/key',
    summary:
      'Replace the app key, and get the new one, which is not shown again; the old key stops working, tokens stay valid',
    permission: 'application.update',
    body: Type.Object({ revision: basedOn, appKey }),
    answer: withKey,
    codes: [105],
  },
});
