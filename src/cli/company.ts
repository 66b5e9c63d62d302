/** `rowhouse company`: the tenants. */
import { operator } from '../actor.ts';
import { createCompany, updateCompany } from '../administration/companies.ts';
import { given } from '../entities/entity.ts';
import { company } from '../entities/tenants.ts';
import { line } from './answer.ts';
import { action, type Command, id, optional } from './command.ts';
import { flagsOf, inputOf, listOf } from './entities.ts';
import { switches } from './switches.ts';

const companyFlag = id('The company.');

export const companyCommand: Command = {
  name: 'company',
  summary: 'Companies, the tenants to which everything else belongs.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the companies.',
      flags: {},
      async run(_values, context) {
        const companies = await (await context.directory()).companies.list();
        return listOf(company, companies, 'There are no companies yet.');
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a company.',
      flags: {
        ...flagsOf(company, 'add'),
        company: optional(id('Its id; the next free one when absent.')),
      },
      async run({ company: wanted, ...values }, context) {
        const deps = await context.accounts({ make: true });
        const input = { ...inputOf(company, 'add', values), ...given({ id: wanted }) };
        const made = await createCompany(deps, operator, input);
        return line(`Company ${made.id} "${made.name}" was added.`, made);
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name of a company, or its quotas.',
      flags: {
        company: companyFlag,
        ...flagsOf(company, 'update'),
      },
      async run({ company: companyId, ...values }, context) {
        const changes = inputOf(company, 'update', values);
        const changed = await updateCompany(await context.accounts(), operator, companyId, changes);
        const done = changes.name === undefined ? `"${changed.name}" was changed.` : `is called "${changed.name}" now.`;
        return line(`Company ${companyId} ${done}`, changed);
      },
    }),
    ...switches('a company', { company: companyFlag }, async ({ company: companyId }, context, disabled) => {
      const now = await updateCompany(await context.accounts(), operator, companyId, { disabled });
      return { called: `Company ${companyId} "${now.name}"`, now };
    }),
  ],
};
