/** The audit trail. */

import { exportAuditTrail, readAudit } from '../../administration/audit-trail.ts';
import type { AuditRow } from '../../audit/read.ts';
import { success } from '../envelope.ts';
import { csvLine, csvLines, exportOf, jsonLines } from '../export.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { auditOperations } from './audit.operations.ts';
import { pageOf, timesIn } from './lists.ts';

export function auditHandlers({ administration, settings }: Services): Handlers<typeof auditOperations> {
  const times = timesIn(settings);
  const toResponse = (row: AuditRow) => ({ ...row, time: times.responses(row.time) });
  return {
    listAudit: async ({ actor, query: { from, until, ...query } }) => {
      const request = { ...pageOf(query), ...times.period({ from, until }) };
      const { results, count } = await readAudit(administration, actor, request);
      return success({ results: results.map(toResponse), count });
    },
    exportAudit: async ({ actor, query: { format, from, until, ...query } }) => {
      const request = { ...pageOf(query), ...times.period({ from, until }) };
      const rows = exportAuditTrail(administration, actor, request);
      if (format !== 'csv') return exportOf('application/x-ndjson', 'audit.ndjson', jsonLines(rows, toResponse));
      const cells = (row: AuditRow) => {
        const one = { ...toResponse(row), detail: JSON.stringify(row.detail) };
        return auditColumns.map((name) => one[name]);
      };
      return exportOf('text/csv', 'audit.csv', csvLines(csvLine(auditColumns), rows, cells));
    },
  };
}

/** Columns of the CSV form, in order. */
const auditColumns = [
  'id',
  'time',
  'actorKind',
  'actorId',
  'actorName',
  'companyId',
  'appId',
  'address',
  'action',
  'target',
  'outcome',
  'detail',
] as const satisfies readonly (keyof AuditRow)[];
