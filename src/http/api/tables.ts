/** Table definitions of an application version (docs/reference/values.md#defining-tables). */
import type { Permitted } from '../../administration/authorize.ts';
import {
  changeTablesOf,
  definedTables,
  defineTablesOf,
  joinsOfTables,
  sizesOfTables,
  tableJobOf,
  tablesInBin,
  tablesOf,
} from '../../administration/tables.ts';
import type { VersionRef } from '../../administration/versions.ts';
import type { Caller } from '../../caller.ts';
import { definitionInfo } from '../../data/definition-info.ts';
import { membersOfCaller } from '../../data/visibility.ts';
import { formatInstant } from '../../schema/time.ts';
import { inTurns } from '../../time-slices.ts';
import { success } from '../envelope.ts';
import { respondsAsync } from '../prefer.ts';
import type { Call, Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { tenantOpenApi } from '../tenant-openapi.ts';
import type { clientTableOperations, tableOperations } from './tables.operations.ts';

export function clientTableHandlers(services: Services): Handlers<typeof clientTableOperations> {
  const { administration, data, settings, version } = services;
  const shared = sharedHandlers(services);
  return {
    defineTables: ({ actor, caller, body }) => shared.define(actor, versionOf(caller), body),
    describeTables: ({ actor, caller }) => shared.describe(actor, versionOf(caller)),
    changeTables: (call) => shared.change(call, versionOf(call.caller), membersOfCaller(call.caller)),
    tableJob: ({ actor, caller, params }) => shared.job(actor, versionOf(caller), params.jobId as string),
    cancelTableJob: ({ actor, caller, params }) => shared.cancelJob(actor, versionOf(caller), params.jobId as string),
    definitionInfo: async ({ caller }) => success({ results: await definitionInfo(data, caller) }),
    tablesInBin: ({ actor, caller }) => shared.bin(actor, versionOf(caller)),
    describeInterface: async (call) => {
      const tables = await definedTables(administration, call.actor, versionOf(call.caller));
      const { companyId, appId, appVersion } = call.params;
      const address = `${settings.publicUrl}${settings.basePath}/api/${companyId}/${appId}/${appVersion}`;
      return JSON.stringify(await inTurns(tenantOpenApi(address, tables, settings, version)));
    },
  };
}

export function tableHandlers(services: Services): Handlers<typeof tableOperations> {
  const { administration } = services;
  const shared = sharedHandlers(services);
  return {
    listTables: ({ actor, params }) => shared.describe(actor, params),
    defineVersionTables: ({ actor, params, body }) => shared.define(actor, params, body),
    changeVersionTables: (call) => shared.change(call, call.params, []),
    versionTableJob: ({ actor, params }) => shared.job(actor, params, params.jobId),
    cancelVersionTableJob: ({ actor, params }) => shared.cancelJob(actor, params, params.jobId),
    versionTablesInBin: ({ actor, params }) => shared.bin(actor, params),
    tableJoins: async ({ actor, params }) => success({ results: await joinsOfTables(administration, actor, params) }),
    tableSizes: async ({ actor, params }) => success({ results: await sizesOfTables(administration, actor, params) }),
  };
}

type Changing = Pick<Call<(typeof tableOperations)['changeVersionTables']>, 'actor' | 'body' | 'request'>;

/** Handlers that both surfaces share once the version is known. */
function sharedHandlers({ administration, data, settings }: Services) {
  const job = async (
    actor: Permitted<'table.define'>,
    ref: VersionRef,
    jobId: string,
    { cancel = false }: { readonly cancel?: boolean } = {},
  ) => success({ results: await tableJobOf(administration, actor, ref, jobId, { cancel }) });
  return {
    async describe(actor: Permitted<'table.read'>, ref: VersionRef) {
      const { tables, revision } = await tablesOf(administration, actor, ref);
      return success({ results: tables, revision });
    },
    async define(actor: Permitted<'table.define'>, ref: VersionRef, body: Defining) {
      const { tables, isResetDatabase = false } = body;
      return success({
        results: await defineTablesOf(administration, actor, ref, { tables, reset: isResetDatabase }),
      });
    },
    async change({ actor, body, request: { headers } }: Changing, ref: VersionRef, members: readonly string[]) {
      const isAsync = respondsAsync(headers.prefer);
      const waitMs = isAsync ? 0 : settings.tableChangeWaitMs;
      const { dryRun = false, revision, changes } = body;
      const request = { revision, changes, dryRun, members, waitMs };
      const results = await changeTablesOf(administration, actor, ref, request);
      if (!('jobId' in results)) return success({ results });
      return {
        status: 202,
        body: success({ results }),
        ...(isAsync ? { headers: { 'preference-applied': 'respond-async' } } : {}),
      };
    },
    job,
    cancelJob: (actor: Permitted<'table.define'>, ref: VersionRef, jobId: string) =>
      job(actor, ref, jobId, { cancel: true }),
    async bin(actor: Permitted<'table.read'>, ref: VersionRef) {
      const entries = await tablesInBin(administration, actor, ref);
      const at = (instant: number) => formatInstant(instant, data.zone);
      return success({
        results: entries.map((entry) => ({ ...entry, dropped: at(entry.dropped), until: at(entry.until) })),
      });
    },
  };
}

type Defining = Call<(typeof tableOperations)['defineVersionTables']>['body'];

function versionOf({ companyId, appId, appVersion }: Caller) {
  return { companyId, appId, version: appVersion };
}
