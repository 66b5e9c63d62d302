/** Companies and their quotas. */
import * as features from '../../administration/companies.ts';
import { findFirstSteps } from '../../administration/first-steps.ts';
import { company } from '../../entities/tenants.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { companyOperations } from './companies.operations.ts';
import { answersOf, pageOf } from './lists.ts';

export function companyHandlers({ administration: deps, settings }: Services): Handlers<typeof companyOperations> {
  const { one, page } = answersOf(company, settings);
  return {
    listCompanies: ({ actor, query }) => page(features.listCompanies(deps, actor, pageOf(query))),
    createCompany: ({ actor, body }) => one(features.createCompany(deps, actor, body)),
    getCompany: ({ actor, params }) => one(features.getCompany(deps, actor, params.companyId)),
    getFirstSteps: async ({ actor, params }) =>
      success({ results: await findFirstSteps(deps, actor, params.companyId) }),
    updateCompany: ({ actor, params, body }) => one(features.updateCompany(deps, actor, params.companyId, body)),
  };
}
