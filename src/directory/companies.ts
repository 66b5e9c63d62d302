/** Companies: the tenants, to each of which everything else in the directory belongs. */
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import { type DirectoryDatabase, notThere, writeOrExplain } from './ownership.ts';
import { type Page, type PageFields, type PageLimits, type PageRequest, page } from './paging.ts';
import { expectOne, refuseOtherRevision } from './revisions.ts';
import { checkedId, checkedName } from './text.ts';

/** Null is without a limit. */
export interface Quotas {
  readonly storageBytesMax: number | null;
  readonly logEntriesMax: number | null;
  readonly requestsAtOnceMax: number | null;
}

export interface Company extends Quotas {
  readonly id: number;
  readonly name: string;
  readonly disabled: boolean;
  readonly revision: number;
  /** Milliseconds. */
  readonly created: number;
}

export interface NewCompany extends Partial<Quotas> {
  /** The next free one when absent. */
  readonly id?: number;
  readonly name: string;
}

export interface CompanyChanges extends Partial<Quotas> {
  readonly name?: string;
  readonly disabled?: boolean;
  /** The one that the changes are based on. */
  readonly revision?: number;
}

export interface Companies {
  /** By id. */
  list(): Promise<Company[]>;
  /** @param only this one. @throws ServiceError `malformed` as `page` */
  page(request: PageRequest, limits: PageLimits, only?: number): Promise<Page<Company>>;
  find(companyId: number): Promise<Company | null>;
  /** @throws ServiceError `malformed` when the id is taken. */
  create(company: NewCompany): Promise<Company>;
  /**
   * Changes what is given. A disabled company's tokens stop working.
   * @throws ServiceError 130 for an unknown one, and with 409 for another revision
   */
  update(companyId: number, changes: CompanyChanges): Promise<Company>;
}

const fields: PageFields = {
  id: { column: 'id', kind: 'whole', key: true, sortable: true, filterable: true },
  name: { column: 'name', kind: 'text', sortable: true, filterable: true, searchable: true },
  disabled: { column: 'disabled', kind: 'flag', filterable: true },
  created: { column: 'created', kind: 'whole', sortable: true },
};

export function openCompanies(db: DirectoryDatabase, environment: Environment): Companies {
  const all = () =>
    db.build
      .selectFrom('company')
      .select(['id', 'name', 'disabled', 'revision', 'created'])
      .select(['storage_bytes_max as storageBytesMax', 'log_entries_max as logEntriesMax'])
      .select('requests_at_once_max as requestsAtOnceMax');

  async function find(companyId: number): Promise<Company | null> {
    const [row] = await db.read(all().where('id', '=', companyId));
    return row === undefined ? null : companyOf(row);
  }
  async function found(companyId: number): Promise<Company> {
    const company = await find(companyId);
    if (company === null) throw notThere('company', companyId);
    return company;
  }

  return {
    find,
    list: async () => (await db.read(all().orderBy('id'))).map(companyOf),
    async page(request, limits, only) {
      const query = only === undefined ? all() : all().where('id', '=', only);
      const { results, count } = await page(db, query, fields, request, limits);
      return { results: results.map(companyOf), count };
    },
    async create(company) {
      const name = checkedName('name', company.name);
      const id = company.id === undefined ? {} : { id: checkedId('id', company.id) };
      const quotas = {
        storageBytesMax: company.storageBytesMax ?? null,
        logEntriesMax: company.logEntriesMax ?? null,
        requestsAtOnceMax: company.requestsAtOnceMax ?? null,
      };
      const created = environment.now();
      const insert = db.build
        .insertInto('company')
        .values({ ...id, name, ...quotaColumns(quotas), created })
        .returning('id');
      const [written] = await writeOrExplain(db, [insert], async () => {
        throw malformed('id', `there is a company ${company.id} already.`);
      });
      return { id: Number(written?.rows[0]?.id), name, ...quotas, disabled: false, revision: 1, created };
    },
    async update(companyId, { revision, ...changes }) {
      const present = await found(companyId);
      refuseOtherRevision(`company ${companyId}`, present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const wanted = { ...present, ...changes };
      const update = db.build
        .updateTable('company')
        .set({
          name: checkedName('name', wanted.name),
          disabled: Number(wanted.disabled),
          ...quotaColumns(wanted),
          revision: present.revision + 1,
        })
        .where('id', '=', companyId)
        .where('revision', '=', present.revision);
      await writeOrExplain(db, [expectOne(update)], async () =>
        refuseOtherRevision(`company ${companyId}`, (await found(companyId)).revision, present.revision),
      );
      return found(companyId);
    },
  };
}

function quotaColumns({ storageBytesMax, logEntriesMax, requestsAtOnceMax }: Quotas) {
  return {
    storage_bytes_max: checkedQuota('storageBytesMax', storageBytesMax),
    log_entries_max: checkedQuota('logEntriesMax', logEntriesMax),
    requests_at_once_max: checkedQuota('requestsAtOnceMax', requestsAtOnceMax),
  };
}

function checkedQuota(field: string, value: number | null): number | null {
  if (value === null || (Number.isSafeInteger(value) && value >= 1)) return value;
  throw malformed(field, `expected a whole number of 1 or greater, or null for no limit, got ${quoted(value)}.`);
}

function companyOf(row: Omit<Company, 'disabled'> & { readonly disabled: number }): Company {
  return { ...row, disabled: row.disabled === 1 };
}
