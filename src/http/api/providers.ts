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
    getProvider: async ({ actor, params: { provider, ...place } }) =>
      success({ results: toResponse(await getProvider(administration, actor, place, provider)) }),
    updateProvider: async ({ actor, params: { provider, ...place }, body }) =>
      success({ results: toResponse(await updateProvider(administration, actor, place, provider, body)) }),
    deleteProvider: async ({ actor, params: { provider, ...place }, query }) => {
      await deleteProvider(administration, actor, place, provider, query.revision);
      return success();
    },
    listClients: async ({ actor, params: { provider, ...place }, query }) => {
      const { results, count } = await listClients(administration, actor, place, provider, pageOf(query));
      return success({ results: results.map(toResponse), count });
    },
    createClient: async ({ actor, params: { provider, ...place }, body }) =>
      success({ results: toResponse(await createClient(administration, actor, place, provider, body)) }),
    getClient: async ({ actor, params: { provider, clientId, ...place } }) =>
      success({ results: toResponse(await getClient(administration, actor, place, provider, clientId)) }),
    updateClient: async ({ actor, params: { provider, clientId, ...place }, body }) =>
      success({ results: toResponse(await updateClient(administration, actor, place, provider, clientId, body)) }),
    deleteClient: async ({ actor, params: { provider, clientId, ...place }, query }) => {
      await deleteClient(administration, actor, place, provider, clientId, query.revision);
      return success();
    },
  };
}
