/** Table definitions of an application version (docs/reference/values.md#defining-tables). */
import {
  changeTablesOf,
  definedTables,
  defineTablesOf,
  tableJobOf,
  tablesInBin,
  tablesOf,
} from '../../administration/tables.ts';
import type { Caller } from '../../caller.ts';
import { newJobId } from '../../data/change-tables.ts';
import { definitionInfo } from '../../data/definition-info.ts';
import type { JobControl } from '../../data/table-jobs.ts';
import { membersOfCaller } from '../../data/visibility.ts';
import { formatInstant } from '../../schema/time.ts';
import { inTurns } from '../../time-slices.ts';
import { success } from '../envelope.ts';
import { respondsAsync } from '../prefer.ts';
import type { Call, Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { tenantOpenApi } from '../tenant-openapi.ts';
import type { clientTableOperations, tableOperations } from './tables.operations.ts';

export function clientTableHandlers({
  administration,
  data,
  settings,
  version,
}: Services): Handlers<typeof clientTableOperations> {
  return {
    defineTables: async (call) => {
      return success({
        results: await defineTablesOf(administration, call.actor, versionOf(call.caller), definitionsOf(call.body)),
      });
    },
    describeTables: async (call) => {
      const { tables, revision } = await tablesOf(administration, call.actor, versionOf(call.caller));
      return success({ results: tables, revision });
    },
    changeTables: async ({ actor, caller, body, request: { headers } }) => {
      const { dryRun = false, ...request } = body;
      const changes = { ...request, dryRun, members: membersOfCaller(caller) };
      const change = (control?: JobControl) =>
        changeTablesOf(administration, actor, versionOf(caller), { ...changes, ...(control && { control }) });
      if (dryRun) return success({ results: await change() });
      const job = data.tableJobs.begin(caller.spaceId, newJobId(data), change);
      const isAsync = respondsAsync(headers.prefer);
      const results = isAsync ? null : await job.within(settings.tableChangeWaitMs);
      if (results !== null) return success({ results });
      return {
        status: 202,
        body: success({ results: { jobId: job.control.id } }),
        ...(isAsync ? { headers: { 'preference-applied': 'respond-async' } } : {}),
      };
    },
    tableJob: async ({ actor, caller, params }) =>
      success({
        results: await tableJobOf(administration, actor, versionOf(caller), params.jobId as string, { cancel: false }),
      }),
    cancelTableJob: async ({ actor, caller, params }) =>
      success({
        results: await tableJobOf(administration, actor, versionOf(caller), params.jobId as string, { cancel: true }),
      }),
    definitionInfo: async ({ caller }) => success({ results: await definitionInfo(data, caller) }),
    tablesInBin: async ({ actor, caller }) => {
      const entries = await tablesInBin(administration, actor, versionOf(caller));
      const at = (instant: number) => formatInstant(instant, data.zone);
      return success({
        results: entries.map((entry) => ({ ...entry, dropped: at(entry.dropped), until: at(entry.until) })),
      });
    },
    describeInterface: async (call) => {
      const tables = await definedTables(administration, call.actor, versionOf(call.caller));
      const { companyId, appId, appVersion } = call.params;
      const address = `${settings.publicUrl}${settings.basePath}/api/${companyId}/${appId}/${appVersion}`;
      return JSON.stringify(await inTurns(tenantOpenApi(address, tables, settings, version)));
    },
  };
}

export function tableHandlers({ administration }: Services): Handlers<typeof tableOperations> {
  return {
    listTables: async ({ actor, params }) =>
      success({ results: (await tablesOf(administration, actor, params)).tables }),
    defineVersionTables: async ({ actor, params, body }) =>
      success({ results: await defineTablesOf(administration, actor, params, definitionsOf(body)) }),
  };
}

function versionOf({ companyId, appId, appVersion }: Caller) {
  return { companyId, appId, version: appVersion };
}

function definitionsOf({
  tables,
  isResetDatabase = false,
}: Call<(typeof tableOperations)['defineVersionTables']>['body']) {
  return { tables, reset: isResetDatabase };
}
