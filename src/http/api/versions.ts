/** Versions of an application. */
import * as features from '../../administration/versions.ts';
import { version } from '../../entities/tenants.ts';
import { malformed } from '../../errors.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { answersOf, pageOf } from './lists.ts';
import type { versionOperations } from './versions.operations.ts';

export function versionHandlers({ administration: deps, settings }: Services): Handlers<typeof versionOperations> {
  const { one, page } = answersOf(version, settings);
  return {
    listVersions: ({ actor, params: { companyId, appId }, query }) =>
      page(features.listVersions(deps, actor, companyId, appId, pageOf(query))),
    createVersion: async ({ actor, params, body: { shareWith, copyOf, ...body } }) =>
      one(features.createVersion(deps, actor, { ...params, ...body, ...tablesFrom(shareWith, copyOf) })),
    getVersion: ({ actor, params }) =>
      one(features.getVersion(deps, actor, params.companyId, params.appId, params.version)),
    updateVersion: ({ actor, params, body }) =>
      one(features.updateVersion(deps, actor, params.companyId, params.appId, params.version, body)),
  };
}

function tablesFrom(shareWith: string | undefined, copyOf: string | undefined) {
  if (shareWith !== undefined && copyOf !== undefined) {
    throw malformed(
      'shareWith, copyOf',
      'expected one of them, got both: a version shares the tables of another one, or copies them.',
    );
  }
  if (shareWith !== undefined) return { tables: { shareWith } };
  return copyOf === undefined ? {} : { tables: { copyOf } };
}
