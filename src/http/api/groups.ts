/** Groups of users (docs/reference/roles.md#roles-in-groups). */
import * as features from '../../administration/groups.ts';
import type { Caller } from '../../caller.ts';
import type { Group } from '../../directory/groups.ts';
import { given } from '../../entities/entity.ts';
import { group } from '../../entities/people.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { clientGroupOperations, groupOperations } from './groups.operations.ts';
import { answersOf, idOf, pageOf, pageOrAll } from './lists.ts';

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
      const found = await features.getGroup(deps, call.actor, call.caller.companyId, idOf(call.params));
      return success({ group: sent(found) });
    },
    createGroup: async (call) => {
      const { body, caller } = call;
      const made = { ...columnsOf(body, caller), name: body.groupName };
      return success({ group: sent(await features.createGroup(deps, call.actor, caller.companyId, made)) });
    },
    updateGroup: async (call) => {
      const { body, caller } = call;
      const changes = { ...columnsOf(body, caller), ...given({ revision: body.revision }) };
      const changed = await features.updateGroup(deps, call.actor, caller.companyId, idOf(call.params), changes);
      return success({ group: sent(changed) });
    },
    deleteGroup: async (call) => {
      const { companyId } = call.caller;
      await features.deleteGroup(deps, call.actor, companyId, idOf(call.params), call.query.revision);
      return success();
    },
  };
}

export function groupHandlers({ administration: deps, settings }: Services): Handlers<typeof groupOperations> {
  const { one, page, none } = answersOf(group, settings);
  return {
    listGroups: ({ actor, params, query }) => page(features.listGroups(deps, actor, params.companyId, pageOf(query))),
    createGroup: ({ actor, params, body }) => one(features.createGroup(deps, actor, params.companyId, body)),
    getGroup: ({ actor, params: { companyId, groupId } }) => one(features.getGroup(deps, actor, companyId, groupId)),
    listGroupMembers: async ({ actor, params: { companyId, groupId } }) =>
      success({ results: await features.groupMembers(deps, actor, companyId, groupId) }),
    updateGroup: ({ actor, params: { companyId, groupId }, body }) =>
      one(features.updateGroup(deps, actor, companyId, groupId, body)),
    deleteGroup: ({ actor, params: { companyId, groupId }, query }) =>
      none(features.deleteGroup(deps, actor, companyId, groupId, query.revision)),
  };
}

interface SentColumns {
  readonly groupName?: string | undefined;
  readonly description?: string | undefined;
  readonly isAddCurrentApp?: boolean | undefined;
}

function columnsOf({ groupName, description, isAddCurrentApp }: SentColumns, { appId }: Caller) {
  return given({ name: groupName, description, appId: isAddCurrentApp === true ? appId : undefined });
}

function sent({ id, name, description, revision }: Group) {
  return { groupId: id, groupName: name, description, revision };
}
