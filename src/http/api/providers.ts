/** An application's identity providers, and the clients that it has registered with them. */
import type { FastifyRequest } from 'fastify';
import * as trial from '../../administration/provider-trial.ts';
import * as features from '../../administration/providers.ts';
import { client, provider } from '../../entities/providers.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { answersOf, pageOf } from './lists.ts';
import type { providerOperations } from './providers.operations.ts';

export function providerHandlers({ administration: deps, settings }: Services): Handlers<typeof providerOperations> {
  const providers = answersOf(provider, settings);
  const clients = answersOf(client, settings);
  /** The log of the service, with the id of the request, which a trial names. */
  const loggedAs = ({ id }: Pick<FastifyRequest, 'id'>) => {
    return { ...deps, log: deps.log.child({ request: id }), requestId: id };
  };
  return {
    listProviders: ({ actor, params, query }) =>
      providers.page(features.listProviders(deps, actor, params, pageOf(query))),
    createProvider: ({ actor, params, body }) => providers.one(features.createProvider(deps, actor, params, body)),
    getProvider: ({ actor, params: { provider: name, ...application } }) =>
      providers.one(features.getProvider(deps, actor, application, name)),
    updateProvider: ({ actor, params: { provider: name, ...application }, body }) =>
      providers.one(features.updateProvider(deps, actor, application, name, body)),
    deleteProvider: ({ actor, params: { provider: name, ...application }, query }) =>
      providers.none(features.deleteProvider(deps, actor, application, name, query.revision)),
    listClients: ({ actor, params: { provider: name, ...application }, query }) =>
      clients.page(features.listClients(deps, actor, application, name, pageOf(query))),
    createClient: ({ actor, params: { provider: name, ...application }, body }) =>
      clients.one(features.createClient(deps, actor, application, name, body)),
    getClient: ({ actor, params: { provider: name, clientId, ...application } }) =>
      clients.one(features.getClient(deps, actor, application, name, clientId)),
    updateClient: ({ actor, params: { provider: name, clientId, ...application }, body }) =>
      clients.one(features.updateClient(deps, actor, application, name, clientId, body)),
    deleteClient: ({ actor, params: { provider: name, clientId, ...application }, query }) =>
      clients.none(features.deleteClient(deps, actor, application, name, clientId, query.revision)),
    tryClient: async ({ actor, params, request }) =>
      success({ results: await trial.beginProviderTrial(loggedAs(request), actor, params) }),
    finishClientTrial: async ({ actor, params, body, request }) => {
      const { checks, found } = await trial.finishProviderTrial(loggedAs(request), actor, params, body);
      if (found === null) return success({ results: { checks, received: null, account: null } });
      const { verifiedEmail, account, firstName, lastName, memberships } = found.claims;
      const read = { verifiedEmail, account, firstName, lastName, memberships };
      return success({ results: { checks, received: found.received, account: read } });
    },
  };
}
