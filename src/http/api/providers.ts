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
  const shown = <Row extends { readonly created: number }>({ created, ...row }: Row) => ({
    ...row,
    createTime: times.shown(created),
  });
  return {
    listProviders: async ({ actor, params, query }) => {
      const { results, count } = await listProviders(administration, actor, params, pageOf(query));
      return success({ results: results.map(shown), count });
    },
    createProvider: async ({ actor, params, body }) =>
      success({ results: shown(await createProvider(administration, actor, params, body)) }),
    getProvider: async ({ actor, params: { provider, ...place } }) =>
      success({ results: shown(await getProvider(administration, actor, place, provider)) }),
    updateProvider: async ({ actor, params: { provider, ...place }, body }) =>
      success({ results: shown(await updateProvider(administration, actor, place, provider, body)) }),
    deleteProvider: async ({ actor, params: { provider, ...place }, query }) => {
      await deleteProvider(administration, actor, place, provider, query.revision);
      return success();
    },
    listClients: async ({ actor, params: { provider, ...place }, query }) => {
      const { results, count } = await listClients(administration, actor, place, provider, pageOf(query));
      return success({ results: results.map(shown), count });
    },
    createClient: async ({ actor, params: { provider, ...place }, body }) =>
      success({ results: shown(await createClient(administration, actor, place, provider, body)) }),
    getClient: async ({ actor, params: { provider, clientId, ...place } }) =>
      success({ results: shown(await getClient(administration, actor, place, provider, clientId)) }),
    updateClient: async ({ actor, params: { provider, clientId, ...place }, body }) =>
      success({ results: shown(await updateClient(administration, actor, place, provider, clientId, body)) }),
    deleteClient: async ({ actor, params: { provider, clientId, ...place }, query }) => {
      await deleteClient(administration, actor, place, provider, clientId, query.revision);
      return success();
    },
  };
}
