/** The service itself: the settings in force, and the nodes of a cluster. */
import { listNodes } from '../../administration/nodes.ts';
import { settingsInForce } from '../../administration/settings-in-force.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import type { serviceOperations } from './service.operations.ts';

export function serviceHandlers(services: Services): Handlers<typeof serviceOperations> {
  return {
    listSettings: async ({ actor }) => success({ results: settingsInForce(services, actor) }),
    listNodes: async ({ actor }) => {
      const nodes = await listNodes(services.administration, actor);
      return success({ results: nodes.map(({ host, port, ...node }) => ({ node: `${host}:${port}`, ...node })) });
    },
  };
}
