/** Companies: the tenants. Everything else in the directory belongs to one of them. */
import type { ChangesOf, NewOf, RowOf } from '../entities/entity.ts';
import { company } from '../entities/tenants.ts';
import type { Environment } from '../environment.ts';
import { malformed, quoted } from '../errors.ts';
import type { WriteStatement } from '../storage/contract.ts';
import { type DirectoryDatabase, notThere, writeOrExplain } from './ownership.ts';
import type { Page, PageLimits, PageRequest } from './paging.ts';
import { expectOne, type Further, nothingFurther, refuseOtherRevision } from './revisions.ts';
import { pageOf, rowsOf } from './rows.ts';
import { checkedId, checkedName } from './text.ts';

export type Company = RowOf<typeof company>;
export type NewCompany = NewOf<typeof company>;
export type CompanyChanges = ChangesOf<typeof company>;

export interface Companies {
  /** By id. */
  list(): Promise<Company[]>;
  /** @param only this company. @throws ServiceError `malformed` as `page` */
  page(request: PageRequest, limits: PageLimits, only?: number): Promise<Page<Company>>;
  find(companyId: number): Promise<Company | null>;
  /** As `find`. @throws ServiceError 130 for an unknown one. */
  get(companyId: number): Promise<Company>;
  /** @throws ServiceError `malformed` when the id is taken. */
  create(company: NewCompany, further?: readonly WriteStatement[]): Promise<Company>;
  /**
   * Changes the given fields. A disabled company's tokens stop working.
   * @throws ServiceError 130 for an unknown one, and with 409 for another revision
   */
  update(companyId: number, changes: CompanyChanges, further?: Further<Company>): Promise<Company>;
}

const rows = rowsOf(company, {
  id: checkedId,
  name: checkedName,
  storageBytesMax: checkedQuota,
  logEntriesMax: checkedQuota,
  requestsAtOnceMax: checkedQuota,
});

export function openCompanies(db: DirectoryDatabase, environment: Environment): Companies {
  const all = () => db.build.selectFrom('company').selectAll();

  async function find(companyId: number): Promise<Company | null> {
    const [row] = await db.read(all().where('id', '=', companyId));
    return row === undefined ? null : rows.read(row);
  }
  async function get(companyId: number): Promise<Company> {
    const present = await find(companyId);
    if (present === null) throw notThere('company', companyId);
    return present;
  }

  return {
    find,
    get,
    list: async () => (await db.read(all().orderBy('id'))).map(rows.read),
    page: (request, limits, only) =>
      pageOf(db, rows, only === undefined ? all() : all().where('id', '=', only), request, limits),
    async create(made, further = []) {
      const insert = db.build
        .insertInto('company')
        .values(rows.inserted({ ...made, created: environment.now() }))
        .returning('id');
      const [written] = await writeOrExplain(db, [insert, ...further], async () => {
        throw malformed('id', `there is already a company ${made.id}.`);
      });
      return get(Number(written?.rows[0]?.id));
    },
    async update(companyId, { revision, ...changes }, further = nothingFurther) {
      const present = await get(companyId);
      refuseOtherRevision(`company ${companyId}`, present.revision, revision);
      if (Object.keys(changes).length === 0) return present;
      const update = db.build
        .updateTable('company')
        .set({ ...rows.changed(changes), revision: present.revision + 1 })
        .where('id', '=', companyId)
        .where('revision', '=', present.revision);
      await writeOrExplain(db, [expectOne(update), ...further(present)], async () =>
        refuseOtherRevision(`company ${companyId}`, (await get(companyId)).revision, present.revision),
      );
      return get(companyId);
    },
  };
}

function checkedQuota(field: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw malformed(field, `expected a whole number of 1 or greater, or null for no limit, got ${quoted(value)}.`);
}
