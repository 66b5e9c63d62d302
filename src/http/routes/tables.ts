/** Table definitions (decisions.md §5). */
import { actingUser } from '../../actor.ts';
import { defineTablesOf, tablesOf } from '../../administration/tables.ts';
import type { Caller } from '../../caller.ts';
import * as wire from '../../wire/tables.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function tableRoutes(register: Register, { administration }: Services): void {
  register(wire.defineTables, async ({ caller, body, request }) => {
    const definitions = { tables: body.tables, reset: body.isResetDatabase ?? false };
    const actor = actingUser(caller, { address: request.ip });
    return success({ results: await defineTablesOf(administration, actor, placeOf(caller), definitions) });
  });
  register(wire.describeTables, async ({ caller, request }) => {
    const actor = actingUser(caller, { address: request.ip });
    return success({ results: await tablesOf(administration, actor, placeOf(caller)) });
  });
}

function placeOf({ companyId, appId, appVersion }: Caller) {
  return { companyId, appId, version: appVersion };
}
