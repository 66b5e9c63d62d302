/** Users of a company, the roles that they hold (docs/reference/roles.md#roles-in-groups), and who they are at providers. */
import { listIdentities, relinkUser } from '../../administration/identities.ts';
import * as features from '../../administration/users.ts';
import type { Membership } from '../../caller.ts';
import type { Role } from '../../directory/roles.ts';
import type { GroupRole } from '../../directory/users.ts';
import { given } from '../../entities/entity.ts';
import { user } from '../../entities/people.ts';
import { malformed, missing, quoted } from '../../errors.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { answersOf, idOf, pageOf, pageOrAll, timesIn } from './lists.ts';
import type { clientUserOperations, GroupRoleMap, userOperations } from './users.operations.ts';

export function clientUserHandlers({ administration: deps }: Services): Handlers<typeof clientUserOperations> {
  /** Existing clients send the name of a role; for roles that they do not know, they send none. */
  async function membershipsOf(companyId: number, items: SentRoles, held: readonly Membership[]): Promise<GroupRole[]> {
    const { batchItemsMax } = deps.settings;
    if (items.length > batchItemsMax) {
      throw malformed('groupRoleMap', `expected at most ${batchItemsMax} items, got ${items.length}.`);
    }
    const roles = items.length === 0 ? [] : await deps.directory.roles.list(companyId);
    return items.flatMap((item, index) => {
      const { groupId } = item.group;
      const field = `groupRoleMap[${index}].role`;
      if (!isWithoutRole(item)) return [{ groupId, roleId: roleIdOf(roles, item, field) }];
      const kept = held.filter((membership) => membership.groupId === groupId);
      if (kept.length === 0) throw missing(field);
      return kept.map(({ roleId }) => ({ groupId, roleId }));
    });
  }
  return {
    listUsers: async (call) => {
      const { groupId, ...part } = call.query;
      const { companyId } = call.caller;
      const { results, count } = await pageOrAll(part, deps.settings, (request, limits) =>
        features.listUsers(deps, call.actor, companyId, { ...request, ...given({ groupId }) }, limits),
      );
      return success({ users: results.map(sent), count });
    },
    getUser: async (call) => {
      const found = await features.getUser(deps, call.actor, call.caller.companyId, idOf(call.params));
      return success({ user: sent(found) });
    },
    createUser: async (call) => {
      const { body, caller } = call;
      const memberships = await membershipsOf(caller.companyId, body.groupRoleMap ?? [], []);
      const made = { ...columnsOf(body), account: body.account, memberships };
      return success({ user: sent(await features.createUser(deps, call.actor, caller.companyId, made)) });
    },
    updateUser: async (call) => {
      const { body, request } = call;
      const { companyId } = call.caller;
      const userId = idOf(call.params);
      const { groupRoleMap, disabled, revision, account } = body;
      const actor = call.actor;
      const held = groupRoleMap?.some(isWithoutRole)
        ? (await features.getUser(deps, actor, companyId, userId)).memberships
        : [];
      const memberships = groupRoleMap && (await membershipsOf(companyId, groupRoleMap, held));
      const changes = { ...columnsOf(body), ...given({ account, disabled, revision, memberships }) };
      const from = { address: request.ip };
      const changed = await features.updateUser(deps, actor, companyId, userId, changes, from);
      return success({ user: sent(changed) });
    },
    deleteUser: async (call) => {
      const { companyId } = call.caller;
      await features.deleteUser(deps, call.actor, companyId, idOf(call.params), call.query.revision);
      return success();
    },
  };
}

export function userHandlers({ administration: deps, settings }: Services): Handlers<typeof userOperations> {
  const times = timesIn(settings);
  const { one, page, none, toResponse } = answersOf(user, settings);
  return {
    listUsers: ({ actor, params, query: { groupId, ...query } }) =>
      page(features.listUsers(deps, actor, params.companyId, { ...pageOf(query), ...given({ groupId }) })),
    createUser: ({ actor, params, body }) => one(features.createUser(deps, actor, params.companyId, body)),
    getUser: ({ actor, params: { companyId, userId } }) => one(features.getUser(deps, actor, companyId, userId)),
    updateUser: ({ actor, params: { companyId, userId }, body, request }) =>
      one(features.updateUser(deps, actor, companyId, userId, body, { address: request.ip })),
    deleteUser: ({ actor, params: { companyId, userId }, query }) =>
      none(features.deleteUser(deps, actor, companyId, userId, query.revision)),
    listUserIdentities: async ({ actor, params: { companyId, userId } }) => {
      const identities = await listIdentities(deps, actor, companyId, userId);
      return success({
        results: identities.map(({ created, ...one }) => ({ ...one, createTime: times.responses(created) })),
      });
    },
    relinkUser: async ({ actor, params: { companyId, userId }, body }) => {
      const linked = await relinkUser(deps, actor, { companyId, userId, ...body });
      const memberships = await deps.directory.users.memberships(userId);
      return success({ results: toResponse({ ...linked, memberships }) });
    },
  };
}

type SentRoles = NonNullable<GroupRoleMap>;
type SentRole = SentRoles[number];

function isWithoutRole({ role }: SentRole): boolean {
  return role?.roleId === undefined && (role?.roleName ?? '') === '';
}

function roleIdOf(roles: readonly Role[], { role }: SentRole, field: string): number {
  if (role?.roleId !== undefined) return role.roleId;
  const wanted = role?.roleName ?? '';
  const found =
    roles.find(({ roleName }) => roleName === wanted) ??
    roles.find(({ roleName }) => withoutSpaces(roleName) === withoutSpaces(wanted));
  if (found !== undefined) return found.roleId;
  const there = roles.map(({ roleName }) => roleName).join(', ');
  throw malformed(`${field}.roleName`, `expected one of ${there}, got ${quoted(wanted)}.`);
}

function withoutSpaces(name: string): string {
  return name.replaceAll(' ', '').toLowerCase();
}

interface SentColumns {
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly password?: string | undefined;
}

function columnsOf({ email, firstName, lastName, password = '' }: SentColumns) {
  const others = { email: email === '' ? null : email, firstName, lastName };
  return given({ ...others, password: password === '' ? undefined : password });
}

function sent({ id, account, email, firstName, lastName, disabled, revision, memberships }: features.UserWithRoles) {
  const groupRoleMap = memberships.map(({ groupId, groupName, roleId, roleName }) => ({
    group: { groupId, groupName },
    role: { roleId, roleName },
  }));
  return { userId: id, account, email, firstName, lastName, disabled, revision, groupRoleMap };
}
