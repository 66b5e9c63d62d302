/** Companies and their quotas. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  basedOn,
  filter,
  flag,
  listOf,
  listQuery,
  ofCompany,
  oneOf,
  optional,
  orNullWhole,
  requiredText,
  revision,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const quotas = {
  storageBytesMax: orNullWhole('Bytes that its data may take; null is without a limit.', { minimum: 1 }),
  logEntriesMax: orNullWhole('Log entries of clients that are kept; null is without a limit.', { minimum: 1 }),
  requestsAtOnceMax: orNullWhole('Requests that are answered at once; null is without a limit.', { minimum: 1 }),
};

const quotasGiven = {
  storageBytesMax: optional(quotas.storageBytesMax),
  logEntriesMax: optional(quotas.logEntriesMax),
  requestsAtOnceMax: optional(quotas.requestsAtOnceMax),
};

const company = Type.Object({
  id: whole('Company id, in paths.'),
  name: text('Its name.'),
  disabled: flag('Whether its tokens and sign-ins are refused.'),
  ...quotas,
  revision,
  createTime: time('When it was added.'),
});

export const companyOperations = administrationOperations({ tag: 'companies' })({
  listCompanies: {
    method: 'GET',
    path: '/companies',
    summary: 'The companies; for a user the own one',
    permission: 'company.read',
    query: listQuery({
      id: filter('id'),
      name: filter('name'),
      disabled: filter('state, `true` or `false`'),
      search: search('the name'),
    }),
    answer: listOf(company),
  },
  createCompany: {
    method: 'POST',
    path: '/companies',
    summary: 'Add a company',
    permission: 'company.create',
    body: Type.Object({
      name: requiredText('Its name.'),
      id: optional(whole('Its id; the next free one when absent.', { minimum: 1 })),
      ...quotasGiven,
    }),
    answer: oneOf(company),
  },
  getCompany: {
    method: 'GET',
    path: '/companies/:companyId',
    summary: 'One company',
    permission: 'company.read',
    params: ofCompany,
    answer: oneOf(company),
  },
  updateCompany: {
    method: 'PUT',
    path: '/companies/:companyId',
    summary: 'Rename a company; disable it or set its quotas, which needs `company.limit`',
    permission: 'company.update',
    params: ofCompany,
    body: Type.Object({
      revision: basedOn,
      name: optional(text('Another name.')),
      disabled: optional(flag('True refuses its tokens and sign-ins within five seconds.')),
      ...quotasGiven,
    }),
    answer: oneOf(company),
  },
});
