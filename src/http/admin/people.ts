/** Groups, users with the roles that they hold, and roles with what they grant. */
import {
  createGroup,
  deleteGroup,
  getGroup,
  groupMembers,
  listGroups,
  updateGroup,
} from '../../administration/groups.ts';
import { createRole, deleteRole, getRole, listRoles, rolePermissions, updateRole } from '../../administration/roles.ts';
import { createUser, deleteUser, getUser, listUsers, updateUser } from '../../administration/users.ts';
import * as wire from '../../wire/admin/people.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function groupRoutes(register: AdminRegister, { administration }: Services): void {
  register(wire.listGroups, async ({ actor, params, query }) =>
    success(await listGroups(administration, actor, params.companyId, pageOf(query))),
  );
  register(wire.createGroup, async ({ actor, params, body }) =>
    success({ results: await createGroup(administration, actor, params.companyId, body) }),
  );
  register(wire.getGroup, async ({ actor, params: { companyId, groupId } }) =>
    success({ results: await getGroup(administration, actor, companyId, groupId) }),
  );
  register(wire.listGroupMembers, async ({ actor, params: { companyId, groupId } }) =>
    success({ results: await groupMembers(administration, actor, companyId, groupId) }),
  );
  register(wire.updateGroup, async ({ actor, params: { companyId, groupId }, body }) =>
    success({ results: await updateGroup(administration, actor, companyId, groupId, body) }),
  );
  register(wire.deleteGroup, async ({ actor, params: { companyId, groupId }, query }) => {
    await deleteGroup(administration, actor, companyId, groupId, query.revision);
    return success();
  });
}

export function userRoutes(register: AdminRegister, { administration }: Services): void {
  register(wire.listUsers, async ({ actor, params, query: { groupId, ...query } }) => {
    const request = { ...pageOf(query), ...(groupId === undefined ? {} : { groupId }) };
    return success(await listUsers(administration, actor, params.companyId, request));
  });
  register(wire.createUser, async ({ actor, params, body }) =>
    success({ results: await createUser(administration, actor, params.companyId, body) }),
  );
  register(wire.getUser, async ({ actor, params: { companyId, userId } }) =>
    success({ results: await getUser(administration, actor, companyId, userId) }),
  );
  register(wire.updateUser, async ({ actor, params: { companyId, userId }, body, request }) => {
    const from = { address: request.ip };
    return success({ results: await updateUser(administration, actor, companyId, userId, body, from) });
  });
  register(wire.deleteUser, async ({ actor, params: { companyId, userId }, query }) => {
    await deleteUser(administration, actor, companyId, userId, query.revision);
    return success();
  });
}

export function roleRoutes(register: AdminRegister, { administration }: Services): void {
  register(wire.listAllRoles, async ({ actor, params, query }) =>
    success(await listRoles(administration, actor, params.companyId, pageOf(query))),
  );
  register(wire.createRole, async ({ actor, params, body }) =>
    success({ results: await createRole(administration, actor, params.companyId, body) }),
  );
  register(wire.getRole, async ({ actor, params: { companyId, roleId } }) =>
    success({ results: await getRole(administration, actor, companyId, roleId) }),
  );
  register(wire.updateRole, async ({ actor, params: { companyId, roleId }, body }) =>
    success({ results: await updateRole(administration, actor, companyId, roleId, body) }),
  );
  register(wire.deleteRole, async ({ actor, params: { companyId, roleId }, query }) => {
    await deleteRole(administration, actor, companyId, roleId, query.revision);
    return success();
  });
  register(wire.listRolePermissions, async ({ actor, params: { companyId, roleId } }) =>
    success({ results: await rolePermissions(administration, actor, companyId, roleId) }),
  );
}
