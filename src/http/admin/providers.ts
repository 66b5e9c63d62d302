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
import * as wire from '../../wire/admin/providers.ts';
import { success } from '../envelope.ts';
import type { Services } from '../services.ts';
import { pageOf, timesIn } from './lists.ts';
import type { AdminRegister } from './route.ts';

export function providerRoutes(register: AdminRegister, { administration, settings }: Services): void {
  const times = timesIn(settings);
  const shown = <Row extends { readonly created: number }>({ created, ...row }: Row) => ({
    ...row,
    createTime: times.shown(created),
  });

  register(wire.listProviders, async ({ actor, params, query }) => {
    const { results, count } = await listProviders(administration, actor, params, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createProvider, async ({ actor, params, body }) =>
    success({ results: shown(await createProvider(administration, actor, params, body)) }),
  );
  register(wire.getProvider, async ({ actor, params: { provider, ...place } }) =>
    success({ results: shown(await getProvider(administration, actor, place, provider)) }),
  );
  register(wire.updateProvider, async ({ actor, params: { provider, ...place }, body }) =>
    success({ results: shown(await updateProvider(administration, actor, place, provider, body)) }),
  );
  register(wire.deleteProvider, async ({ actor, params: { provider, ...place }, query }) => {
    await deleteProvider(administration, actor, place, provider, query.revision);
    return success();
  });

  register(wire.listClients, async ({ actor, params: { provider, ...place }, query }) => {
    const { results, count } = await listClients(administration, actor, place, provider, pageOf(query));
    return success({ results: results.map(shown), count });
  });
  register(wire.createClient, async ({ actor, params: { provider, ...place }, body }) =>
    success({ results: shown(await createClient(administration, actor, place, provider, body)) }),
  );
  register(wire.getClient, async ({ actor, params: { provider, clientId, ...place } }) =>
    success({ results: shown(await getClient(administration, actor, place, provider, clientId)) }),
  );
  register(wire.updateClient, async ({ actor, params: { provider, clientId, ...place }, body }) =>
    success({ results: shown(await updateClient(administration, actor, place, provider, clientId, body)) }),
  );
  register(wire.deleteClient, async ({ actor, params: { provider, clientId, ...place }, query }) => {
    await deleteClient(administration, actor, place, provider, clientId, query.revision);
    return success();
  });
}
