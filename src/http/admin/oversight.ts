/** What goes on: devices, sessions, log entries of clients, and the audit trail. */
import { exportAuditTrail, readAudit } from '../../administration/audit-trail.ts';
import { exportClientLogs, readClientLogs } from '../../administration/client-logs.ts';
import { forgetDevice, listApplicationDevices } from '../../administration/devices.ts';
import { endUserSessions, listUserSessions } from '../../administration/sessions-of-users.ts';
import type { AuditRow } from '../../audit/read.ts';
import { normalVersion } from '../../directory/versions.ts';
import type { LogRow } from '../../logs/read.ts';
import * as wire from '../../wire/admin/oversight.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { csvLine, csvLines, exportOf, jsonLines } from './export.ts';
import { pageOf, timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function deviceRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);

  register(wire.listDevices, async ({ actor, params: { companyId, appId }, query }) => {
    const { results, count } = await listApplicationDevices(administration, actor, companyId, appId, pageOf(query));
    const shown = results.map(({ created, updated, ...device }) => ({
      ...device,
      createTime: times.shown(created),
      updateTime: times.shown(updated),
    }));
    return success({ results: shown, count });
  });
  register(wire.forgetDevice, async ({ actor, params: { companyId, appId, deviceId } }) => {
    await forgetDevice(administration, actor, companyId, appId, deviceId);
    return success();
  });
}

export function sessionRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);

  register(wire.listSessions, async ({ actor, params, query }) => {
    const { results, count } = await listUserSessions(administration, actor, params.companyId, pageOf(query));
    const shown = results.map(({ created, lastUsed, ends, ...session }) => ({
      ...session,
      createTime: times.shown(created),
      lastUseTime: times.shown(lastUsed),
      endTime: times.shown(ends),
    }));
    return success({ results: shown, count });
  });
  register(wire.endSession, async ({ actor, params: { companyId, sessionId } }) => {
    await endUserSessions(administration, actor, { companyId, sessionId });
    return success();
  });
  register(wire.endSessions, async ({ actor, params, body: { deviceUDID, appVersion, ...body } }) => {
    const selection = {
      companyId: params.companyId,
      ...body,
      ...(deviceUDID === undefined ? {} : { deviceUdid: deviceUDID }),
      ...(appVersion === undefined ? {} : { version: normalVersion(appVersion) }),
    };
    return success({ count: await endUserSessions(administration, actor, selection) });
  });
}

export function logRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = (row: LogRow) => ({ ...row, time: times.shown(row.time) });

  register(wire.listLogs, async ({ actor, params: { companyId, appId }, query: { from, until, ...query } }) => {
    const request = { ...pageOf(query), ...times.period({ from, until }) };
    const { results, count } = await readClientLogs(administration, actor, companyId, appId, request);
    return success({ results: results.map(shown), count });
  });
  register(wire.exportLogs, async ({ actor, params: { companyId, appId }, query: { from, until, ...query } }) => {
    const request = { ...pageOf(query), ...times.period({ from, until }) };
    const rows = await exportClientLogs(administration, actor, companyId, appId, request);
    return exportOf('application/x-ndjson', 'logs.ndjson', jsonLines(rows, shown));
  });
}

/** Columns of the CSV form, in their order. */
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

export function auditRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = (row: AuditRow) => ({ ...row, time: times.shown(row.time) });

  register(wire.listAudit, async ({ actor, query: { from, until, ...query } }) => {
    const request = { ...pageOf(query), ...times.period({ from, until }) };
    const { results, count } = await readAudit(administration, actor, request);
    return success({ results: results.map(shown), count });
  });
  register(wire.exportAudit, async ({ actor, query: { format, from, until, ...query } }) => {
    const request = { ...pageOf(query), ...times.period({ from, until }) };
    const rows = exportAuditTrail(administration, actor, request);
    if (format !== 'csv') return exportOf('application/x-ndjson', 'audit.ndjson', jsonLines(rows, shown));
    const cells = (row: AuditRow) => {
      const one = { ...shown(row), detail: JSON.stringify(row.detail) };
      return auditColumns.map((name) => one[name]);
    };
    return exportOf('text/csv', 'audit.csv', csvLines(csvLine(auditColumns), rows, cells));
  });
}
