/** The caller's own sessions (docs/reference/sign-in.md#sessions). */
import type { OwnSession } from '../../auth/session-list.ts';
import { formatInstant, zoneOf } from '../../schema/time.ts';
import * as wire from '../../wire/sessions.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function sessionRoutes(register: Register, { auth, administration, settings }: Services): void {
  const zone = zoneOf(settings.zone);
  const shown = ({ id, current, appId, appVersion, deviceUDID, deviceName, osType, isPush, ...times }: OwnSession) => ({
    id,
    current,
    appId,
    appVersion,
    deviceUDID,
    deviceName,
    osType,
    isPush,
    createTime: formatInstant(times.created, zone),
    lastUseTime: formatInstant(times.lastUsed, zone),
    endTime: formatInstant(times.ends, zone),
  });

  register(wire.listSessions, async ({ caller }) => success({ results: (await auth.ownSessions(caller)).map(shown) }));
  register(wire.endSession, async ({ caller, params, request }) => {
    await auth.endOwnSession(caller, params.id as string, { address: request.ip });
    return success();
  });
  register(wire.logoutEverywhere, async ({ caller, request }) => {
    const count = await auth.logoutEverywhere(caller, { address: request.ip });
    // Those of the administration were ended too, and may be in memory here.
    administration.sessions.forgetAll();
    return success({ count });
  });
}
