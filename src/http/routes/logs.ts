/** Client logs (docs/reference/logs.md). */
import { ServiceError } from '../../errors.ts';
import * as wire from '../../wire/logs.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function logRoutes(register: Register, { logs, directory, quotas }: Services): void {
  register(wire.getLogLevel, async ({ caller }) => {
    const version = await directory.versions.find(caller.companyId, caller.appId, caller.appVersion);
    if (version === null) throw new ServiceError(105, 'The application does not exist.');
    return success({ result: version.logLevel });
  });
  register(wire.sendLog, async ({ caller, body }) => {
    quotas.takeLogEntry(caller.companyId);
    await logs.write(caller, body);
    return success();
  });
}
