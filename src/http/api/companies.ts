/** Companies and their quotas. */

import { createCompany, getCompany, listCompanies, updateCompany } from '../../administration/companies.ts';
import type { Company } from '../../directory/companies.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { companyOperations } from './companies.operations.ts';
import { pageOf, timesIn } from './lists.ts';

export function companyHandlers({ administration, settings }: Services): Handlers<typeof companyOperations> {
  const times = timesIn(settings);
  const toResponse = ({ created, ...company }: Company) => ({ ...company, createTime: times.responses(created) });
  return {
    listCompanies: async ({ actor, query }) => {
      const { results, count } = await listCompanies(administration, actor, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createCompany: async ({ actor, body }) =>
      success({ results: toResponse(await createCompany(administration, actor, body)) }),
    getCompany: async ({ actor, params }) =>
      success({ results: toResponse(await getCompany(administration, actor, params.companyId)) }),
    updateCompany: async ({ actor, params, body }) =>
      success({ results: toResponse(await updateCompany(administration, actor, params.companyId, body)) }),
  };
}
