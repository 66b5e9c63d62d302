/** Identity providers of an application, and its clients at them. */

import {
  createClient,
  createProvider,
  deleteClient,
  deleteProvider,
  getClient,
  getProvider,
  listClients,
  listProviders,
  updateClient,
  updateProvider,
} from '../../administration/providers.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { providerOperations } from './providers.operations.ts';

export function providerHandlers({ administration, settings }: Services): Handlers<typeof providerOperations> {
  const times = timesIn(settings);
  const toResponse = <Row extends { readonly created: number }>({ created, ...row }: Row) => ({
    ...row,
    createTime: times.responses(created),
  });
  return {
    listProviders: async ({ actor, params, query }) => {
      const { results, count } = await listProviders(administration, actor, params, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createProvider: async ({ actor, params, body }) =>
      success({ results: toResponse(await createProvider(administration, actor, params, body)) }),
    getProvider: async ({ actor, params: { provider, ...application } }) =>
      success({ results: toResponse(await getProvider(administration, actor, application, provider)) }),
    updateProvider: async ({ actor, params: { provider, ...application }, body }) =>
      success({ results: toResponse(await updateProvider(administration, actor, application, provider, body)) }),
    deleteProvider: async ({ actor, params: { provider, ...application }, query }) => {
      await deleteProvider(administration, actor, application, provider, query.revision);
      return success();
    },
    listClients: async ({ actor, params: { provider, ...application }, query }) => {
      const { results, count } = await listClients(administration, actor, application, provider, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createClient: async ({ actor, params: { provider, ...application }, body }) =>
      success({ results: toResponse(await createClient(administration, actor, application, provider, body)) }),
    getClient: async ({ actor, params: { provider, clientId, ...application } }) =>
      success({ results: toResponse(await getClient(administration, actor, application, provider, clientId)) }),
    updateClient: async ({ actor, params: { provider, clientId, ...application }, body }) =>
      success({
        results: toResponse(await updateClient(administration, actor, application, provider, clientId, body)),
      }),
    deleteClient: async ({ actor, params: { provider, clientId, ...application }, query }) => {
      await deleteClient(administration, actor, application, provider, clientId, query.revision);
      return success();
    },
  };
}
