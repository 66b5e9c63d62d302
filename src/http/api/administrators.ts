/** Administrators of the installation. */
import * as features from '../../administration/administrators.ts';
import { relinkAdministrator } from '../../administration/identities.ts';
import { administrator } from '../../entities/people.ts';
import { cookieOf } from '../administration-surface.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { administratorOperations } from './administrators.operations.ts';
import { answersOf, pageOf } from './lists.ts';

export function administratorHandlers({
  administration: deps,
  settings,
}: Services): Handlers<typeof administratorOperations> {
  const { one, page, none } = answersOf(administrator, settings);
  return {
    listAdministrators: ({ actor, query }) => page(features.listAdministrators(deps, actor, pageOf(query))),
    createAdministrator: ({ actor, body }) => one(features.createAdministrator(deps, actor, body)),
    getAdministrator: ({ actor, params }) => one(features.getAdministrator(deps, actor, params.administratorId)),
    updateAdministrator: ({ actor, params, body }) =>
      one(features.updateAdministrator(deps, actor, params.administratorId, body)),
    setAdministratorPassword: ({ actor, params, body, request }) => {
      const exceptCookie = cookieOf(request);
      const input = { ...body, ...(exceptCookie === undefined ? {} : { exceptCookie }) };
      return none(features.setAdministratorPassword(deps, actor, params.administratorId, input));
    },
    relinkAdministrator: ({ actor, params, body }) =>
      one(relinkAdministrator(deps, actor, params.administratorId, body.revision)),
  };
}
