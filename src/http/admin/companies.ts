/** Companies and their quotas. */
import { createCompany, getCompany, listCompanies, updateCompany } from '../../administration/companies.ts';
import type { Company } from '../../directory/companies.ts';
import * as wire from '../../wire/admin/companies.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function companyRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = ({ created, ...company }: Company) => ({ ...company, createTime: times.shown(created) });

  register(wire.listCompanies, async ({ actor, query }) => {
    const { results, count } = await listCompanies(administration, actor, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createCompany, async ({ actor, body }) =>
    success({ results: shown(await createCompany(administration, actor, body)) }),
  );
  register(wire.getCompany, async ({ actor, params }) =>
    success({ results: shown(await getCompany(administration, actor, params.companyId)) }),
  );
  register(wire.updateCompany, async ({ actor, params, body }) =>
    success({ results: shown(await updateCompany(administration, actor, params.companyId, body)) }),
  );
}
