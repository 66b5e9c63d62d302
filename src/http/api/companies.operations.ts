/** Companies and their quotas. */
import Type from 'typebox';
import { company } from '../../entities/tenants.ts';
import { administrationOperations } from '../../operations/define.ts';
import { operationsOn } from '../../operations/entities.ts';
import { basedOn, flag, ofCompany, oneOf, orNullText } from '../../operations/shapes.ts';

const { adding, changing, list, add, read, change } = operationsOn(company);
const { id, name, ...quotas } = adding;

export const companyOperations = administrationOperations({ tag: 'companies' })({
  listCompanies: list({
    path: '/companies',
    summary: 'The companies; for a user, their own company',
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
  getFirstSteps: {
    method: 'GET',
    path: '/companies/:companyId/first-steps',
    summary: 'The first steps of a company, and which are done',
    permission: 'company.read',
    params: ofCompany,
    codes: [130],
    answer: oneOf(
      Type.Object({
        application: flag('Whether it has an application.'),
        provider: flag(
          'Whether users can sign in: with a client at an identity provider, or with passwords stored here.',
        ),
        table: flag('Whether a version has a table.'),
        signIn: flag('Whether a user has signed in.'),
        record: flag('Whether a table has a record.'),
        appId: orNullText('The application for the next steps; null if there is none.'),
        version: orNullText('The version for the next steps; null if there is none.'),
      }),
    ),
  },
  updateCompany: change({
    path: '/companies/:companyId',
    summary: 'Rename a company; disable it or set its quotas, which needs `company.limit`',
    permission: 'company.update',
    params: ofCompany,
    body: Type.Object({ revision: basedOn, ...changing }),
  }),
});
