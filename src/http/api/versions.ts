/** Versions of an application. */

import { createVersion, getVersion, listVersions, updateVersion } from '../../administration/versions.ts';
import type { Version } from '../../directory/versions.ts';
import { malformed } from '../../errors.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { versionOperations } from './versions.operations.ts';

export function versionHandlers({ administration, settings }: Services): Handlers<typeof versionOperations> {
  const times = timesIn(settings);
  const toResponse = ({ created, versionDisabled, appDisabled: _, companyDisabled: __, ...version }: Version) => ({
    ...version,
    disabled: versionDisabled,
    createTime: times.responses(created),
  });
  return {
    listVersions: async ({ actor, params: { companyId, appId }, query }) => {
      const { results, count } = await listVersions(administration, actor, companyId, appId, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createVersion: async ({ actor, params, body: { shareWith, copyOf, ...body } }) => {
      const version = { ...params, ...body, ...tablesFrom(shareWith, copyOf) };
      return success({ results: toResponse(await createVersion(administration, actor, version)) });
    },
    getVersion: async ({ actor, params: { companyId, appId, version } }) =>
      success({ results: toResponse(await getVersion(administration, actor, companyId, appId, version)) }),
    updateVersion: async ({ actor, params: { companyId, appId, version }, body }) =>
      success({ results: toResponse(await updateVersion(administration, actor, companyId, appId, version, body)) }),
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
