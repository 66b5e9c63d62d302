/** Who is signed in to the administration. */
import type { Actor } from '../../actor.ts';
import { ServiceError } from '../../errors.ts';
import * as wire from '../../wire/admin/me.ts';
import { success } from '../envelope.ts';
import type { AdminRegister } from './route.ts';

export function meRoutes(register: AdminRegister): void {
  register(wire.getMe, async ({ actor }) => success({ results: shownActor(actor) }));
}

function shownActor(actor: Actor): object {
  const { kind } = actor;
  switch (kind) {
    case 'administrator':
      return { kind, id: actor.administratorId, account: actor.account };
    case 'user': {
      const { userId: id, account, companyId, memberships } = actor;
      return { kind, id, account, companyId, memberships };
    }
    case 'operator':
      throw new ServiceError('internal', 'The command line has no session.');
  }
}
