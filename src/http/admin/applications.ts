/** Applications of a company. */
import {
  createApplication,
  getApplication,
  listApplications,
  replaceAppKey,
  type ShownApplication,
  updateApplication,
} from '../../administration/applications.ts';
import * as wire from '../../wire/admin/applications.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function applicationRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = ({ created, ...application }: ShownApplication) => ({
    ...application,
    createTime: times.shown(created),
  });
  const withKey = ({ application, appKey }: { application: ShownApplication; appKey: string }) =>
    success({ results: { application: shown(application), appKey } });

  register(wire.listApplications, async ({ actor, params, query }) => {
    const { results, count } = await listApplications(administration, actor, params.companyId, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createApplication, async ({ actor, params, body }) =>
    withKey(await createApplication(administration, actor, params.companyId, body)),
  );
  register(wire.getApplication, async ({ actor, params: { companyId, appId } }) =>
    success({ results: shown(await getApplication(administration, actor, companyId, appId)) }),
  );
  register(wire.updateApplication, async ({ actor, params: { companyId, appId }, body }) =>
    success({ results: shown(await updateApplication(administration, actor, companyId, appId, body)) }),
  );
  register(wire.replaceAppKey, async ({ actor, params: { companyId, appId }, body }) =>
    withKey(await replaceAppKey(administration, actor, companyId, appId, body)),
  );
}
