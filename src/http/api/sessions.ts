/** Handlers for users' sessions: where and on which devices users are signed in. */

import { forgetDevice, listApplicationDevices } from '../../administration/devices.ts';
import { endUserSessions, listUserSessions } from '../../administration/sessions-of-users.ts';
import type { OwnSession } from '../../auth/session-list.ts';
import { normalVersion } from '../../directory/versions.ts';
import { formatInstant, zoneOf } from '../../schema/time.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { deviceOperations, ownSessionOperations, sessionOperations } from './sessions.operations.ts';

export function ownSessionHandlers({
  auth,
  administration,
  settings,
}: Services): Handlers<typeof ownSessionOperations> {
  const zone = zoneOf(settings.zone);
  const toResponse = ({
    id,
    current,
    appId,
    appVersion,
    deviceUDID,
    deviceName,
    osType,
    isPush,
    ...times
  }: OwnSession) => ({
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
  return {
    listSessions: async ({ caller }) => success({ results: (await auth.ownSessions(caller)).map(toResponse) }),
    endSession: async ({ caller, params, request }) => {
      await auth.endOwnSession(caller, params.id as string, { address: request.ip });
      return success();
    },
    logoutEverywhere: async ({ caller, request }) => {
      const count = await auth.logoutEverywhere(caller, { address: request.ip });
      // This also ended sessions of the administration, which may be cached here.
      administration.sessions.forgetAll();
      return success({ count });
    },
  };
}

export function deviceHandlers({ administration, settings }: Services): Handlers<typeof deviceOperations> {
  const times = timesIn(settings);
  return {
    listDevices: async ({ actor, params: { companyId, appId }, query }) => {
      const { results, count } = await listApplicationDevices(administration, actor, companyId, appId, pageOf(query));
      const responses = results.map(({ created, updated, ...device }) => ({
        ...device,
        createTime: times.responses(created),
        updateTime: times.responses(updated),
      }));
      return success({ results: responses, count });
    },
    forgetDevice: async ({ actor, params: { companyId, appId, deviceId } }) => {
      await forgetDevice(administration, actor, companyId, appId, deviceId);
      return success();
    },
  };
}

export function sessionHandlers({ administration, settings }: Services): Handlers<typeof sessionOperations> {
  const times = timesIn(settings);
  return {
    listUserSessions: async ({ actor, params, query }) => {
      const { results, count } = await listUserSessions(administration, actor, params.companyId, pageOf(query));
      const responses = results.map(({ created, lastUsed, ends, ...session }) => ({
        ...session,
        createTime: times.responses(created),
        lastUseTime: times.responses(lastUsed),
        endTime: times.responses(ends),
      }));
      return success({ results: responses, count });
    },
    endUserSession: async ({ actor, params: { companyId, sessionId } }) => {
      await endUserSessions(administration, actor, { companyId, sessionId });
      return success();
    },
    endUserSessions: async ({ actor, params, body: { deviceUDID, appVersion, ...body } }) => {
      const selection = {
        companyId: params.companyId,
        ...body,
        ...(deviceUDID === undefined ? {} : { deviceUdid: deviceUDID }),
        ...(appVersion === undefined ? {} : { version: normalVersion(appVersion) }),
      };
      return success({ count: await endUserSessions(administration, actor, selection) });
    },
  };
}
