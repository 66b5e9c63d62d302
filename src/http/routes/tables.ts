/** Table definitions (docs/reference/values.md#defining-tables). */
import { actingUser } from '../../actor.ts';
import { definedTables, defineTablesOf, tablesOf } from '../../administration/tables.ts';
import type { Caller } from '../../caller.ts';
import * as wire from '../../wire/tables.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';
import { tenantOpenApi } from '../tenant-openapi.ts';

export function tableRoutes(register: Register, { administration, settings, version }: Services): void {
  register(wire.defineTables, async ({ caller, body, request }) => {
    const definitions = { tables: body.tables, reset: body.isResetDatabase ?? false };
    const actor = actingUser(caller, { address: request.ip });
    return success({ results: await defineTablesOf(administration, actor, placeOf(caller), definitions) });
  });
  register(wire.describeTables, async ({ caller, request }) => {
    const actor = actingUser(caller, { address: request.ip });
    return success({ results: await tablesOf(administration, actor, placeOf(caller)) });
  });
  register(wire.describeInterface, async ({ caller, params, request }) => {
    const actor = actingUser(caller, { address: request.ip });
    const tables = await definedTables(administration, actor, placeOf(caller));
    const { companyId, appId, appVersion } = params;
    const address = `${settings.publicUrl}${settings.basePath}/api/${companyId}/${appId}/${appVersion}`;
    return JSON.stringify(tenantOpenApi(address, tables, settings, version));
  });
}

function placeOf({ companyId, appId, appVersion }: Caller) {
  return { companyId, appId, version: appVersion };
}
