/** Groups of users (docs/reference/roles.md#roles-in-groups). */
import * as features from '../../administration/groups.ts';
import type { Caller } from '../../caller.ts';
import type { Group } from '../../directory/groups.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { clientGroupOperations, groupOperations } from './groups.operations.ts';
import { idOf, pageOf, pageOrAll } from './lists.ts';

export function clientGroupHandlers({ administration: deps }: Services): Handlers<typeof clientGroupOperations> {
  return {
    listGroups: async (call) => {
      const { companyId } = call.caller;
      const { results, count } = await pageOrAll(call.query, deps.settings, (request, limits) =>
        features.listGroups(deps, call.actor, companyId, request, limits),
      );
      return success({ groups: results.map(sent), count });
    },
    getGroup: async (call) => {
      const group = await features.getGroup(deps, call.actor, call.caller.companyId, idOf(call.params));
      return success({ group: sent(group) });
    },
    createGroup: async (call) => {
      const { body, caller } = call;
      const group = { ...columnsOf(body, caller), name: body.groupName };
      return success({ group: sent(await features.createGroup(deps, call.actor, caller.companyId, group)) });
    },
    updateGroup: async (call) => {
      const { body, caller } = call;
      const revision = body.revision === undefined ? {} : { revision: body.revision };
      const changes = { ...columnsOf(body, caller), ...revision };
      const group = await features.updateGroup(deps, call.actor, caller.companyId, idOf(call.params), changes);
      return success({ group: sent(group) });
    },
    deleteGroup: async (call) => {
      const { companyId } = call.caller;
      await features.deleteGroup(deps, call.actor, companyId, idOf(call.params), call.query.revision);
      return success();
    },
  };
}

export function groupHandlers({ administration }: Services): Handlers<typeof groupOperations> {
  return {
    listGroups: async ({ actor, params, query }) =>
      success(await features.listGroups(administration, actor, params.companyId, pageOf(query))),
    createGroup: async ({ actor, params, body }) =>
      success({ results: await features.createGroup(administration, actor, params.companyId, body) }),
    getGroup: async ({ actor, params: { companyId, groupId } }) =>
      success({ results: await features.getGroup(administration, actor, companyId, groupId) }),
    listGroupMembers: async ({ actor, params: { companyId, groupId } }) =>
      success({ results: await features.groupMembers(administration, actor, companyId, groupId) }),
    updateGroup: async ({ actor, params: { companyId, groupId }, body }) =>
      success({ results: await features.updateGroup(administration, actor, companyId, groupId, body) }),
    deleteGroup: async ({ actor, params: { companyId, groupId }, query }) => {
      await features.deleteGroup(administration, actor, companyId, groupId, query.revision);
      return success();
    },
  };
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
