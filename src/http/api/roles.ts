/** Roles, and what custom ones grant on tables (docs/reference/roles.md). */
import * as features from '../../administration/roles.ts';
import { role } from '../../entities/people.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { answersOf, pageOf } from './lists.ts';
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

export function roleHandlers({ administration: deps, settings }: Services): Handlers<typeof roleOperations> {
  const { one, page, none } = answersOf(role, settings);
  return {
    listCompanyRoles: ({ actor, params, query }) =>
      page(features.listRoles(deps, actor, params.companyId, pageOf(query))),
    createRole: ({ actor, params, body }) => one(features.createRole(deps, actor, params.companyId, body)),
    getRole: ({ actor, params: { companyId, roleId } }) => one(features.getRole(deps, actor, companyId, roleId)),
    updateRole: ({ actor, params: { companyId, roleId }, body }) =>
      one(features.updateRole(deps, actor, companyId, roleId, body)),
    deleteRole: ({ actor, params: { companyId, roleId }, query }) =>
      none(features.deleteRole(deps, actor, companyId, roleId, query.revision)),
    listRolePermissions: async ({ actor, params: { companyId, roleId } }) =>
      success({ results: await features.rolePermissions(deps, actor, companyId, roleId) }),
  };
}
