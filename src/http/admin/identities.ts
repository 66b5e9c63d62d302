/** Who accounts are at identity providers, and linking them anew. */
import { listIdentities, relinkAdministrator, relinkUser } from '../../administration/identities.ts';
import * as wire from '../../wire/admin/identities.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function identityRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  register(wire.listUserIdentities, async ({ actor, params: { companyId, userId } }) => {
    const identities = await listIdentities(administration, actor, companyId, userId);
    return success({
      results: identities.map(({ created, ...one }) => ({ ...one, createTime: times.shown(created) })),
    });
  });
  register(wire.relinkUser, async ({ actor, params: { companyId, userId }, body }) => {
    const user = await relinkUser(administration, actor, { companyId, userId, ...body });
    const memberships = await administration.directory.users.memberships(userId);
    return success({ results: { ...user, memberships } });
  });
  register(wire.relinkAdministrator, async ({ actor, params, body }) => {
    const { created, ...one } = await relinkAdministrator(administration, actor, params.administratorId, body.revision);
    return success({ results: { ...one, createTime: times.shown(created) } });
  });
}
