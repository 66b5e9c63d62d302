/** Applications of a company. */
import * as features from '../../administration/applications.ts';
import { application } from '../../entities/tenants.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { applicationOperations } from './applications.operations.ts';
import { answersOf, pageOf } from './lists.ts';

export function applicationHandlers({
  administration: deps,
  settings,
}: Services): Handlers<typeof applicationOperations> {
  const { one, page, toResponse } = answersOf(application, settings);
  const withKey = ({ application, appKey }: features.ApplicationWithKey) =>
    success({ results: { application: toResponse(application), appKey } });
  return {
    listApplications: ({ actor, params, query }) =>
      page(features.listApplications(deps, actor, params.companyId, pageOf(query))),
    createApplication: async ({ actor, params, body }) =>
      withKey(await features.createApplication(deps, actor, params.companyId, body)),
    getApplication: ({ actor, params: { companyId, appId } }) =>
      one(features.getApplication(deps, actor, companyId, appId)),
    updateApplication: ({ actor, params: { companyId, appId }, body }) =>
      one(features.updateApplication(deps, actor, companyId, appId, body)),
    replaceAppKey: async ({ actor, params: { companyId, appId }, body }) =>
      withKey(await features.replaceAppKey(deps, actor, companyId, appId, body)),
  };
}
