/** Log entries of clients: sent and read (docs/reference/logs.md). */

import { exportClientLogs, readClientLogs } from '../../administration/client-logs.ts';
import { ServiceError } from '../../errors.ts';
import type { LogRow } from '../../logs/read.ts';
import { success } from '../envelope.ts';
import { exportOf, jsonLines } from '../export.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { clientLogOperations, logOperations } from './logs.operations.ts';

export function clientLogHandlers({ logs, directory, quotas }: Services): Handlers<typeof clientLogOperations> {
  return {
    getLogLevel: async ({ caller }) => {
      const version = await directory.versions.find(caller.companyId, caller.appId, caller.appVersion);
      if (version === null) throw new ServiceError(105, 'The application does not exist.');
      return success({ result: version.logLevel });
    },
    sendLog: async ({ caller, body }) => {
      quotas.takeLogEntry(caller.companyId);
      await logs.write(caller, body);
      return success();
    },
  };
}

export function logHandlers({ administration, settings }: Services): Handlers<typeof logOperations> {
  const times = timesIn(settings);
  const toResponse = (row: LogRow) => ({ ...row, time: times.responses(row.time) });
  return {
    listLogs: async ({ actor, params: { companyId, appId }, query: { from, until, ...query } }) => {
      const request = { ...pageOf(query), ...times.period({ from, until }) };
      const { results, count } = await readClientLogs(administration, actor, companyId, appId, request);
      return success({ results: results.map(toResponse), count });
    },
    exportLogs: async ({ actor, params: { companyId, appId }, query: { from, until, ...query } }) => {
      const request = { ...pageOf(query), ...times.period({ from, until }) };
      const rows = await exportClientLogs(administration, actor, companyId, appId, request);
      return exportOf('application/x-ndjson', 'logs.ndjson', jsonLines(rows, toResponse));
    },
  };
}
