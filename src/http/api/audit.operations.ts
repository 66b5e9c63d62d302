/** The audit trail. */
import Type from 'typebox';
import { administrationOperations } from '../../operations/define.ts';
import {
  choice,
  filter,
  listOf,
  listQuery,
  optional,
  orNullText,
  orNullWhole,
  search,
  text,
  time,
  whole,
} from '../../operations/shapes.ts';

const auditEntry = Type.Object({
  id: whole('Increases in the order of the acts.'),
  time: time('When it was done.'),
  actorKind: text('`operator` (the command line), `administrator`, `user`, or `nobody` (a refused sign-in).'),
  actorId: orNullWhole('Id of the administrator or the user.'),
  actorName: text('Account name.'),
  companyId: orNullWhole('Company of the act.'),
  appId: orNullText('Application of the act.'),
  address: orNullText('IP address.'),
  action: text('What was done: `user.create`, `session.start`.'),
  target: text('The object of the act.'),
  outcome: text('`done` or `refused`.'),
  detail: Type.Unknown({ description: 'Further facts, without secrets.' }),
});

const period = {
  from: optional(text('Only entries from this time on: ISO 8601, in the configured zone without an offset.')),
  until: optional(text('Only entries before this time.')),
};

const auditFilters = {
  ...period,
  companyId: filter('company'),
  appId: filter('application'),
  actorKind: filter('kind of actor'),
  actorId: filter('actor, by id'),
  actorName: filter('actor, by account'),
  address: filter('address'),
  action: filter('action'),
  outcome: filter('outcome'),
  search: search('actor, address, action and target'),
};

export const auditOperations = administrationOperations({ tag: 'audit' })({
  listAudit: {
    method: 'GET',
    path: '/audit',
    summary: 'The audit trail, newest entries first; users see the entries of their own company',
    permission: 'audit.read',
    query: listQuery(auditFilters),
    answer: listOf(auditEntry),
  },
  exportAudit: {
    method: 'GET',
    path: '/audit/export',
    summary: 'Every matching entry, the oldest first, as one JSON object per line or as CSV (RFC 4180)',
    permission: 'audit.read',
    query: Type.Object({ format: optional(choice(['ndjson', 'csv'], '`ndjson` when absent.')), ...auditFilters }),
    answer: auditEntry,
    exports: ['application/x-ndjson', 'text/csv'],
  },
});
