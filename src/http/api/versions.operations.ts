/** Versions of an application. */
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
  ofVersion,
  oneOf,
  optional,
  requiredText,
  revision,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const logLevel = choice(['ERROR', 'MONITOR'], 'What clients are told to send.');

const strictMeaning =
  'Whether requests are handled strictly that carry no `Prefer: handling=…`: unknown members and parameters are refused.';

const appVersion = Type.Object({
  companyId: whole('Company.'),
  appId: text('Application.'),
  version: text('Dotted form.'),
  spaceId: whole('Its data space; versions that share their tables have the same one.'),
  sharedSpace: flag('Whether another version has the same data space.'),
  logLevel,
  development: flag('Whether its tables may be reset, while it shares them with no other version.'),
  disabled: flag('Whether its tokens and sign-ins are refused.'),
  strictHandling: flag(strictMeaning),
  revision,
  createTime: time('When it was added.'),
});

export const versionOperations = administrationOperations({ tag: 'versions', params: ofVersion, codes: [105, 106] })({
  listVersions: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions',
    summary: 'The versions of an application',
    permission: 'application.read',
    params: ofApplication,
    query: listQuery({
      version: filter('version, in its dotted form'),
      logLevel: filter('level'),
      development: filter('state, `true` or `false`'),
      disabled: filter('state, `true` or `false`'),
      strictHandling: filter('handling, `true` or `false`'),
      search: search('the version'),
    }),
    answer: listOf(appVersion),
    codes: [105],
  },
  createVersion: {
    method: 'POST',
    path: '/companies/:companyId/applications/:appId/versions',
    summary: 'Add a version, with empty tables of its own, a copy of those of another version, or the very same ones',
    permission: 'application.update',
    params: ofApplication,
    body: Type.Object({
      version: requiredText('`1.0.0` or `1_0_0`.'),
      shareWith: optional(text('The version whose tables are those of this one too.')),
      copyOf: optional(text('The version whose tables and records are copied.')),
      logLevel: optional(logLevel),
      development: optional(flag('Whether its tables may be reset.')),
      strictHandling: optional(flag(strictMeaning)),
    }),
    answer: oneOf(appVersion),
  },
  getVersion: {
    method: 'GET',
    path: '/companies/:companyId/applications/:appId/versions/:version',
    summary: 'One version',
    permission: 'application.read',
    answer: oneOf(appVersion),
  },
  updateVersion: {
    method: 'PUT',
    path: '/companies/:companyId/applications/:appId/versions/:version',
    summary: 'Change the log level of a version, whether it is in development, disabled, or strict',
    permission: 'application.update',
    body: Type.Object({
      revision: basedOn,
      logLevel: optional(logLevel),
      development: optional(flag('Whether its tables may be reset.')),
      disabled: optional(flag('True refuses its tokens and sign-ins within five seconds.')),
      strictHandling: optional(flag(strictMeaning)),
    }),
    answer: oneOf(appVersion),
  },
});
