/** Applications of a company. */

import {
  type ApplicationResponse,
  createApplication,
  getApplication,
  listApplications,
  replaceAppKey,
  updateApplication,
} from '../../administration/applications.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { applicationOperations } from './applications.operations.ts';
import { pageOf, timesIn } from './lists.ts';

export function applicationHandlers({ administration, settings }: Services): Handlers<typeof applicationOperations> {
  const times = timesIn(settings);
  const toResponse = ({ created, ...application }: ApplicationResponse) => ({
    ...application,
    createTime: times.responses(created),
  });
  const withKey = ({ application, appKey }: { application: ApplicationResponse; appKey: string }) =>
    success({ results: { application: toResponse(application), appKey } });
  return {
    listApplications: async ({ actor, params, query }) => {
      const { results, count } = await listApplications(administration, actor, params.companyId, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createApplication: async ({ actor, params, body }) =>
      withKey(await createApplication(administration, actor, params.companyId, body)),
    getApplication: async ({ actor, params: { companyId, appId } }) =>
      success({ results: toResponse(await getApplication(administration, actor, companyId, appId)) }),
    updateApplication: async ({ actor, params: { companyId, appId }, body }) =>
      success({ results: toResponse(await updateApplication(administration, actor, companyId, appId, body)) }),
    replaceAppKey: async ({ actor, params: { companyId, appId }, body }) =>
      withKey(await replaceAppKey(administration, actor, companyId, appId, body)),
  };
}
