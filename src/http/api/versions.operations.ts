/** Versions of an application. */
import Type from 'typebox';
import { version } from '../../entities/tenants.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { basedOn, ofApplication, ofVersion, optional, text } from '../../operations/shapes.ts';

const { adding, changing, list, add, read, change } = operationsOn(version);
const { version: named, ...added } = adding;

export const versionOperations = administrationOperations({ tag: 'versions', params: ofVersion, codes: [105, 106] })({
  listVersions: list({
    path: '/companies/:companyId/applications/:appId/versions',
    summary: 'The versions of an application',
    permission: 'application.read',
    params: ofApplication,
    codes: [105],
  }),
  createVersion: add({
    path: '/companies/:companyId/applications/:appId/versions',
    summary: "Add a version, with empty tables of its own, a copy of another version's tables, or the same tables",
    permission: 'application.update',
    params: ofApplication,
    body: Type.Object({
      version: named,
      shareWith: optional(text('The version with which this one shares its tables.')),
      copyOf: optional(text('The version whose tables and records are copied.')),
      ...added,
    }),
  }),
  getVersion: read({
    path: '/companies/:companyId/applications/:appId/versions/:version',
    summary: 'One version',
    permission: 'application.read',
  }),
  updateVersion: change({
    path: '/companies/:companyId/applications/:appId/versions/:version',
    summary: 'Change a version: log level, whether it is in development, disabled, or strict',
    permission: 'application.update',
    body: Type.Object({ revision: basedOn, ...changing }),
  }),
});
