/** Versions of an application, and the tables of each. */
import { defineTablesOf, tablesOf } from '../../administration/tables.ts';
import { createVersion, getVersion, listVersions, updateVersion } from '../../administration/versions.ts';
import type { Version } from '../../directory/versions.ts';
import { malformed } from '../../errors.ts';
import * as wire from '../../wire/admin/versions.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function versionRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = ({ created, versionDisabled, appDisabled: _, companyDisabled: __, ...version }: Version) => ({
    ...version,
    disabled: versionDisabled,
    createTime: times.shown(created),
  });

  register(wire.listVersions, async ({ actor, params: { companyId, appId }, query }) => {
    const { results, count } = await listVersions(administration, actor, companyId, appId, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createVersion, async ({ actor, params, body: { shareWith, copyOf, ...body } }) => {
    const version = { ...params, ...body, ...tablesFrom(shareWith, copyOf) };
    return success({ results: shown(await createVersion(administration, actor, version)) });
  });
  register(wire.getVersion, async ({ actor, params: { companyId, appId, version } }) =>
    success({ results: shown(await getVersion(administration, actor, companyId, appId, version)) }),
  );
  register(wire.updateVersion, async ({ actor, params: { companyId, appId, version }, body }) =>
    success({ results: shown(await updateVersion(administration, actor, companyId, appId, version, body)) }),
  );
  register(wire.listTables, async ({ actor, params }) =>
    success({ results: await tablesOf(administration, actor, params) }),
  );
  register(wire.defineTables, async ({ actor, params, body }) => {
    const definitions = { tables: body.tables, reset: body.isResetDatabase ?? false };
    return success({ results: await defineTablesOf(administration, actor, params, definitions) });
  });
}

function tablesFrom(shareWith: string | undefined, copyOf: string | undefined) {
  if (shareWith !== undefined && copyOf !== undefined) {
    throw malformed('shareWith, copyOf', 'both came; a version shares the tables of another one, or copies them.');
  }
  if (shareWith !== undefined) return { tables: { shareWith } };
  return copyOf === undefined ? {} : { tables: { copyOf } };
}
