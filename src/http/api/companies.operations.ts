/** Companies and their quotas. */
import Type from 'typebox';
import { company } from '../../entities/tenants.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { basedOn, ofCompany } from '../../operations/shapes.ts';

const { adding, changing, list, add, read, change } = operationsOn(company);
const { id, name, ...quotas } = adding;

export const companyOperations = administrationOperations({ tag: 'companies' })({
  listCompanies: list({
    path: '/companies',
    summary: 'The companies; for a user the own one',
    permission: 'company.read',
  }),
  createCompany: add({
    path: '/companies',
    summary: 'Add a company',
    permission: 'company.create',
    body: Type.Object({ name, id, ...quotas }),
  }),
  getCompany: read({
    path: '/companies/:companyId',
    summary: 'One company',
    permission: 'company.read',
    params: ofCompany,
  }),
  updateCompany: change({
    path: '/companies/:companyId',
    summary: 'Rename a company; disable it or set its quotas, which needs `company.limit`',
    permission: 'company.update',
    params: ofCompany,
    body: Type.Object({ revision: basedOn, ...changing }),
  }),
});
