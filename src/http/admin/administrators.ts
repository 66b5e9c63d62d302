/** Administrators of the installation. */
import {
  type Administrator,
  createAdministrator,
  getAdministrator,
  listAdministrators,
  setAdministratorPassword,
  updateAdministrator,
} from '../../administration/administrators.ts';
import * as wire from '../../wire/admin/administrators.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import { type AdminRegister, cookieOf } from './route.ts';

export function administratorRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = ({ created, ...one }: Administrator) => ({ ...one, createTime: times.shown(created) });

  register(wire.listAdministrators, async ({ actor, query }) => {
    const { results, count } = await listAdministrators(administration, actor, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createAdministrator, async ({ actor, body }) =>
    success({ results: shown(await createAdministrator(administration, actor, body)) }),
  );
  register(wire.getAdministrator, async ({ actor, params }) =>
    success({ results: shown(await getAdministrator(administration, actor, params.administratorId)) }),
  );
  register(wire.updateAdministrator, async ({ actor, params, body }) =>
    success({ results: shown(await updateAdministrator(administration, actor, params.administratorId, body)) }),
  );
  register(wire.setAdministratorPassword, async ({ actor, params, body, request }) => {
    const exceptCookie = cookieOf(request);
    const input = { ...body, ...(exceptCookie === undefined ? {} : { exceptCookie }) };
    await setAdministratorPassword(administration, actor, params.administratorId, input);
    return success();
  });
}
