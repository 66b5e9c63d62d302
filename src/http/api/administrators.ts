/** Administrators of the installation. */

import {
  type Administrator,
  createAdministrator,
  getAdministrator,
  listAdministrators,
  setAdministratorPassword,
  updateAdministrator,
} from '../../administration/administrators.ts';
import { relinkAdministrator } from '../../administration/identities.ts';
import { cookieOf } from '../administration-surface.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { administratorOperations } from './administrators.operations.ts';
import { pageOf, timesIn } from './lists.ts';

export function administratorHandlers({
  administration,
  settings,
}: Services): Handlers<typeof administratorOperations> {
  const times = timesIn(settings);
  const toResponse = ({ created, ...one }: Administrator) => ({ ...one, createTime: times.responses(created) });
  return {
    listAdministrators: async ({ actor, query }) => {
      const { results, count } = await listAdministrators(administration, actor, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createAdministrator: async ({ actor, body }) =>
      success({ results: toResponse(await createAdministrator(administration, actor, body)) }),
    getAdministrator: async ({ actor, params }) =>
      success({ results: toResponse(await getAdministrator(administration, actor, params.administratorId)) }),
    updateAdministrator: async ({ actor, params, body }) =>
      success({ results: toResponse(await updateAdministrator(administration, actor, params.administratorId, body)) }),
    setAdministratorPassword: async ({ actor, params, body, request }) => {
      const exceptCookie = cookieOf(request);
      const input = { ...body, ...(exceptCookie === undefined ? {} : { exceptCookie }) };
      await setAdministratorPassword(administration, actor, params.administratorId, input);
      return success();
    },
    relinkAdministrator: async ({ actor, params, body }) =>
      success({
        results: toResponse(await relinkAdministrator(administration, actor, params.administratorId, body.revision)),
      }),
  };
}
