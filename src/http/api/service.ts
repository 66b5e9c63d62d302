/** The service itself: the settings in force, and the nodes of a cluster. */
import { beginMove, beginRebalance, movesOf } from '../../administration/node-moves.ts';
import { listNodes, pageOfSpaces } from '../../administration/nodes.ts';
import { settingsInForce } from '../../administration/settings-in-force.ts';
import { success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { timesIn } from './lists.ts';
import type { serviceOperations } from './service.operations.ts';

export function serviceHandlers(services: Services): Handlers<typeof serviceOperations> {
  const times = timesIn(services.settings);
  return {
    listSettings: async ({ actor }) => success({ results: settingsInForce(services, actor) }),
    listNodes: async ({ actor }) => {
      const nodes = await listNodes(services.administration, actor);
      return success({ results: nodes.map(({ host, port, ...node }) => ({ node: `${host}:${port}`, ...node })) });
    },
    listDataSpaces: async ({ actor, query }) => {
      const { results, count } = await pageOfSpaces(services.administration, actor, query);
      return success({ results, count });
    },
    listMoves: async ({ actor }) => {
      const moves = await movesOf(services.administration, actor);
      const results = moves.map(({ beginTime, progress: { done, of, unit }, ...move }) => ({
        ...{ ...move, done, of, unit },
        beginTime: times.responses(beginTime),
      }));
      return success({ results });
    },
    moveDataSpace: async ({ actor, body }) => {
      await beginMove(services.administration, actor, body);
      return success();
    },
    rebalanceNodes: async ({ actor }) => {
      const hasBegun = await beginRebalance(services.administration, actor);
      return success({ results: { isBalanced: !hasBegun } });
    },
  };
}
