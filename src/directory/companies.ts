/** Companies: the tenants, to each of which everything else in the directory belongs. */
import type { Environment } from '../environment.ts';
import { malformed } from '../errors.ts';
import { type DirectoryDatabase, notThere, writeOrExplain } from './ownership.ts';
import { checkedId, checkedName } from './text.ts';

export interface Company {
  readonly id: number;
  readonly name: string;
  readonly disabled: boolean;
  /** Milliseconds. */
  readonly created: number;
}

export interface Companies {
  /** By id. */
  list(): Promise<Company[]>;
  find(companyId: number): Promise<Company | null>;
  /** @throws ServiceError `malformed` when the id is taken. */
  create(company: { readonly id?: number; readonly name: string }): Promise<Company>;
  /** Changes what is given. A disabled company's tokens stop working. @throws ServiceError 130 for an unknown one. */
  update(companyId: number, changes: { readonly name?: string; readonly disabled?: boolean }): Promise<Company>;
}

export function openCompanies(db: DirectoryDatabase, environment: Environment): Companies {
  const all = () => db.build.selectFrom('company').select(['id', 'name', 'disabled', 'created']);

  async function find(companyId: number): Promise<Company | null> {
    const [row] = await db.read(all().where('id', '=', companyId));
    return row === undefined ? null : { ...row, disabled: row.disabled === 1 };
  }

  return {
    find,
    async list() {
      const rows = await db.read(all().orderBy('id'));
      return rows.map((row) => ({ ...row, disabled: row.disabled === 1 }));
    },
    async create(company) {
      const name = checkedName('name', company.name);
      const id = company.id === undefined ? {} : { id: checkedId('id', company.id) };
      const created = environment.now();
      const insert = db.build
        .insertInto('company')
        .values({ ...id, name, created })
        .returning('id');
      const [written] = await writeOrExplain(db, [insert], async () => {
        throw malformed('id', `there is a company ${company.id} already.`);
      });
      return { id: Number(written?.rows[0]?.id), name, disabled: false, created };
    },
    async update(companyId, changes) {
      const values = {
        ...(changes.name === undefined ? {} : { name: checkedName('name', changes.name) }),
        ...(changes.disabled === undefined ? {} : { disabled: Number(changes.disabled) }),
      };
      if (Object.keys(values).length > 0) {
        await db.write([db.build.updateTable('company').set(values).where('id', '=', companyId)]);
      }
      const company = await find(companyId);
      if (company === null) throw notThere('company', companyId);
      return company;
    },
  };
}
