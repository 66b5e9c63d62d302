/** Roles, and what custom ones grant on tables (docs/reference/roles.md). */

import { createRole, deleteRole, getRole, listRoles, rolePermissions, updateRole } from '../../administration/roles.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { pageOf } from './lists.ts';
import type { clientRoleOperations, roleOperations } from './roles.operations.ts';

export function clientRoleHandlers({ directory }: Services): Handlers<typeof clientRoleOperations> {
  return {
    listRoles: async ({ caller }) => {
      const roles = await directory.roles.list(caller.companyId);
      return success({
        results: roles.map(({ roleId, roleName, description, companyId }) => ({
          roleId,
          roleName,
          description,
          companyId,
        })),
      });
    },
  };
}

export function roleHandlers({ administration }: Services): Handlers<typeof roleOperations> {
  return {
    listCompanyRoles: async ({ actor, params, query }) =>
      success(await listRoles(administration, actor, params.companyId, pageOf(query))),
    createRole: async ({ actor, params, body }) =>
      success({ results: await createRole(administration, actor, params.companyId, body) }),
    getRole: async ({ actor, params: { companyId, roleId } }) =>
      success({ results: await getRole(administration, actor, companyId, roleId) }),
    updateRole: async ({ actor, params: { companyId, roleId }, body }) =>
      success({ results: await updateRole(administration, actor, companyId, roleId, body) }),
    deleteRole: async ({ actor, params: { companyId, roleId }, query }) => {
      await deleteRole(administration, actor, companyId, roleId, query.revision);
      return success();
    },
    listRolePermissions: async ({ actor, params: { companyId, roleId } }) =>
      success({ results: await rolePermissions(administration, actor, companyId, roleId) }),
  };
}
