/** Table definitions (decisions.md §5). */
import type { Caller } from '../../caller.ts';
import { defineTables, describeTables } from '../../data/define.ts';
import * as wire from '../../wire/tables.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function tableRoutes(register: Register, { data, directory }: Services): void {
  register(wire.defineTables, async ({ caller, body }) => {
    const results = await defineTables(data, caller, {
      tables: body.tables,
      reset: body.isResetDatabase ?? false,
      resettable: await isResettable(caller),
      groupIds: await directory.applications.groupIds(caller.companyId, caller.appId),
    });
    return success({ results });
  });
  register(wire.describeTables, async ({ caller }) => {
    const groupIds = await directory.applications.groupIds(caller.companyId, caller.appId);
    return success({ results: await describeTables(data, caller, { groupIds }) });
  });

  async function isResettable(caller: Caller): Promise<boolean> {
    const version = await directory.versions.find(caller.companyId, caller.appId, caller.appVersion);
    return version !== null && version.development === true && !version.sharedSpace;
  }
}
