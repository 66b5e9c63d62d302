/** `rowhouse company`: the tenants. */
import { createCompany, updateCompany } from '../administration/companies.ts';
import type { Company } from '../directory/companies.ts';
import { line, table } from './answer.ts';
import { action, type Command, type Flag, id, optional, text } from './command.ts';
import { switches } from './switches.ts';

const operator = { kind: 'operator' } as const;
const company = id('The company.');

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
      async run({ name, company: wanted }, context) {
        const deps = await context.accounts({ make: true });
        const made = await createCompany(deps, operator, { name, ...(wanted === undefined ? {} : { id: wanted }) });
        return line(`Company ${made.id} "${made.name}" was added.`, made);
      },
    }),
    action({
      name: 'update',
      summary: 'Changes the name of a company, or its quotas.',
      flags: {
        company,
        name: optional(text('<name>', 'The new name.')),
        storageMax: optional(
          quota('<bytes>', 'How much its records may take: bytes, or 500MiB, 20GiB; none for no limit.'),
        ),
        logEntriesMax: optional(quota('<number>', 'How many log messages of its clients are kept; none for no limit.')),
        requestsAtOnceMax: optional(
          quota('<number>', 'How many of its requests are worked on at once, by one process; none for no limit.'),
        ),
      },
      async run({ company: companyId, name, storageMax, logEntriesMax, requestsAtOnceMax }, context) {
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(storageMax === undefined ? {} : { storageBytesMax: storageMax.limit }),
          ...(logEntriesMax === undefined ? {} : { logEntriesMax: logEntriesMax.limit }),
          ...(requestsAtOnceMax === undefined ? {} : { requestsAtOnceMax: requestsAtOnceMax.limit }),
        };
        const changed = await updateCompany(await context.accounts(), operator, companyId, changes);
        const done = name === undefined ? `"${changed.name}" was changed.` : `is called "${changed.name}" now.`;
        return line(`Company ${companyId} ${done}`, changed);
      },
    }),
    ...switches('a company', { company }, async ({ company: companyId }, context, disabled) => {
      const now = await updateCompany(await context.accounts(), operator, companyId, { disabled });
      return { called: `Company ${companyId} "${now.name}"`, now };
    }),
  ],
};

const units: Readonly<Record<string, number>> = { '': 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 };

/** A limit, or `none`. */
function quota(placeholder: string, meaning: string): Flag<{ readonly limit: number | null }> {
  return {
    placeholder,
    meaning,
    presence: 'required',
    expected: 'a whole number from 1, which may end in KiB, MiB, GiB or TiB, or none',
    read(value) {
      if (value === 'none') return { limit: null };
      const [, digits = '', unit = ''] = /^([1-9]\d{0,14})(|[kmgt]ib)$/i.exec(value) ?? [];
      const limit = Number(digits) * (units[unit.toLowerCase()] ?? 0);
      return limit >= 1 && Number.isSafeInteger(limit) ? { limit } : undefined;
    },
  };
}
