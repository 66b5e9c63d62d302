/** Applications of a company: key, allowed groups, account policy, local accounts, origins. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  basedOn,
  choice,
  filter,
  flag,
  listOf,
  listQuery,
  ofApplication,
  ofCompany,
  oneOf,
  optional,
  orNullWhole,
  requiredText,
  revision,
  search,
  secretText,
  text,
  texts,
  time,
  whole,
  wholes,
} from '../../operations/shapes.ts';

const policy = choice(
  ['refuse', 'create'],
  'What happens to an unknown account at a sign-in through a provider: `create` needs a default group and role.',
);

const application = Type.Object({
  companyId: whole('Company.'),
  appId: text('Application id, in paths.'),
  name: text('Its name.'),
  disabled: flag('Whether its tokens and sign-ins are refused.'),
  groupIds: wholes('Groups that may use it; none means every group of the company.'),
  accountPolicy: policy,
  defaultGroupId: orNullWhole('Group that new accounts come into.'),
  defaultRoleId: orNullWhole('Role that they get there.'),
  localAccounts: flag('Whether its users may sign in with a password.'),
  corsOrigins: texts('Origins whose scripts may call, such as `https://app.example.com`.'),
  revision,
  createTime: time('When it was added.'),
});

const given = {
  name: optional(text('Its name.')),
  groupIds: optional(wholes('All groups that may use it; none means every group of the company.')),
  accountPolicy: optional(policy),
  defaultGroupId: optional(orNullWhole('Group that new accounts come into.')),
  defaultRoleId: optional(orNullWhole('Role that they get there.')),
  localAccounts: optional(flag('Whether its users may sign in with a password.')),
  corsOrigins: optional(texts('All origins whose scripts may call.')),
};

const appKey = optional(secretText('8 to 200 printable ASCII characters; 256 random bits when absent.'));
const withKey = oneOf(
  Type.Object({
    application,
    appKey: text('The app key, shown this once: only its hash is kept.'),
  }),
);

export const applicationOperations = administrationOperations({ tag: 'applications', params: ofApplication })({
  listApplications: {
    method: 'GET',
    path: '/companies/:companyId/applications',
    summary: 'The applications of a company that may be seen',
    permission: 'application.read',
    params: ofCompany,
    query: listQuery({
      appId: filter('id'),
      name: filter('name'),
      disabled: filter('state, `true` or `false`'),
      localAccounts: filter('setting, `true` or `false`'),
      search: search('id and name'),
    }),
    answer: listOf(application),
  },
  createApplication: {
    method: 'POST',
    path: '/companies/:companyId/applications',
    summary: 'Add an application, and get its key this once',
    permission: 'application.create',
    params: ofCompany,
    body: Type.Object({
      appId: requiredText('Its id: letters, digits, `.`, `_` and `-`.'),
      appKey,
      ...given,
    }),
    answer: withKey,
  },
  getApplication: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId',
    summary: 'One application',
    permission: 'application.read',
    answer: oneOf(application),
    codes: [105],
  },
  updateApplication: {
    method: 'PUT',
    path: '/companies/:companyId/applications/:appId',
    summary:
      'Change an application; account policy, defaults and local accounts need `application.accounts`, that is, Super Admin',
    permission: 'application.update',
    body: Type.Object({
      revision: basedOn,
      disabled: optional(flag('True refuses its tokens and sign-ins within five seconds.')),
      ...given,
    }),
    answer: oneOf(application),
    codes: [105],
  },
  replaceAppKey: {
    method: 'POST',
    path: '/companies/:companyId/applications/:appId/key',
    summary: 'Replace the app key, and get the new one this once; the old one stops working, tokens stay valid',
    permission: 'application.update',
    body: Type.Object({ revision: basedOn, appKey }),
    answer: withKey,
    codes: [105],
  },
});
