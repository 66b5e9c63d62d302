/** Roles (docs/reference/roles.md). */
import * as wire from '../../wire/roles.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function roleRoutes(register: Register, { directory }: Services): void {
  register(wire.listRoles, async ({ caller }) => {
    const roles = await directory.roles.list(caller.companyId);
    return success({
      results: roles.map(({ roleId, roleName, description, companyId }) => ({
        roleId,
        roleName,
        description,
        companyId,
      })),
    });
  });
}
