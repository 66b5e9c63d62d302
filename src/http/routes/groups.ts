/** Groups of users, for clients (docs/reference/roles.md#roles-in-groups). */
import * as features from '../../administration/groups.ts';
import type { Caller } from '../../caller.ts';
import type { Group } from '../../directory/groups.ts';
import * as wire from '../../wire/groups.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';
import { actorOf, idOf, pageOrAll } from './lists.ts';

export function groupRoutes(register: Register, { administration: rooms }: Services): void {
  register(wire.listGroups, async (call) => {
    const { companyId } = call.caller;
    const { results, count } = await pageOrAll(call.query, rooms.settings, (request, limits) =>
      features.listGroups(rooms, actorOf(call), companyId, request, limits),
    );
    return success({ groups: results.map(sent), count });
  });
  register(wire.getGroup, async (call) => {
    const group = await features.getGroup(rooms, actorOf(call), call.caller.companyId, idOf(call.params));
    return success({ group: sent(group) });
  });
  register(wire.createGroup, async (call) => {
    const { body, caller } = call;
    const group = { ...columnsOf(body, caller), name: body.groupName };
    return success({ group: sent(await features.createGroup(rooms, actorOf(call), caller.companyId, group)) });
  });
  register(wire.updateGroup, async (call) => {
    const { body, caller } = call;
    const revision = body.revision === undefined ? {} : { revision: body.revision };
    const changes = { ...columnsOf(body, caller), ...revision };
    const group = await features.updateGroup(rooms, actorOf(call), caller.companyId, idOf(call.params), changes);
    return success({ group: sent(group) });
  });
  register(wire.deleteGroup, async (call) => {
    const { companyId } = call.caller;
    await features.deleteGroup(rooms, actorOf(call), companyId, idOf(call.params), call.query.revision);
    return success();
  });
}

interface SentColumns {
  readonly groupName?: string | undefined;
  readonly description?: string | undefined;
  readonly isAddCurrentApp?: boolean | undefined;
}

function columnsOf({ groupName, description, isAddCurrentApp }: SentColumns, { appId }: Caller) {
  return {
    ...(groupName === undefined ? {} : { name: groupName }),
    ...(description === undefined ? {} : { description }),
    ...(isAddCurrentApp === true ? { appId } : {}),
  };
}

function sent({ id, name, description, revision }: Group) {
  return { groupId: id, groupName: name, description, revision };
}
