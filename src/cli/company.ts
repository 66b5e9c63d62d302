/** `rowhouse company`: the tenants. */
import type { Company } from '../directory/companies.ts';
import { line, table } from './answer.ts';
import { action, type Command, id, optional, text } from './command.ts';
import { switches } from './switches.ts';

const company = id('The company.');

export const companyCommand: Command = {
  name: 'company',
  summary: 'Companies, the tenants to which everything else belongs.',
  actions: [
    action({
      name: 'list',
      summary: 'Lists the companies.',
      flags: {},
      async run(_values, workplace) {
        const companies = await (await workplace.directory()).companies.list();
        const columns = {
          id: (one: Company) => one.id,
          name: (one: Company) => one.name,
          disabled: (one: Company) => one.disabled,
        };
        return table(companies, columns, 'There are no companies yet.');
      },
    }),
    action({
      name: 'add',
      summary: 'Adds a company.',
      flags: {
        name: text('<name>', 'Its name, for people.'),
        company: optional(id('Its id; the next free one when absent.')),
      },
      async run({ name, company: wanted }, workplace) {
        const directory = await workplace.directory({ make: true });
        const made = await directory.companies.create({ name, ...(wanted === undefined ? {} : { id: wanted }) });
        return line(`Company ${made.id} "${made.name}" was added.`, made);
      },
    }),
    action({
      name: 'update',
      summary: 'Gives a company another name.',
      flags: { company, name: text('<name>', 'The new name.') },
      async run({ company: companyId, name }, workplace) {
        const changed = await (await workplace.directory()).companies.update(companyId, { name });
        return line(`Company ${companyId} is called "${changed.name}" now.`, changed);
      },
    }),
    ...switches('a company', { company }, async ({ company: companyId }, directory, disabled) => {
      const now = await directory.companies.update(companyId, { disabled });
      return { called: `Company ${companyId} "${now.name}"`, now };
    }),
  ],
};
