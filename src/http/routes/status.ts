/** For operators and tools: liveness, readiness, and the description of the interface. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { openApi } from '../openapi.ts';
import type { Services } from '../services.ts';

/** How long each part of the storage may take to answer, so that `/readyz` does within 2 seconds. */
const readyTimeMs = 1_500;

export function statusRoutes(app: FastifyInstance, { settings, data, log, version, state }: Services): void {
  const at = (path: string) => `${settings.basePath}${path}`;
  const description = JSON.stringify(openApi(settings, version));

  app.get(at('/livez'), async () => ({ status: 'OK' }));

  app.get(at('/readyz'), async (_request, reply) => {
    if (state.stage !== 'ready') {
      const description = `The service is ${state.stage === 'starting' ? 'starting' : 'stopping'}.`;
      return reply.code(503).send({ status: 'error', description });
    }
    try {
      await data.storage.check(readyTimeMs);
      return { status: 'OK' };
    } catch (error) {
      log.error({ err: error }, 'Not ready.');
      const description = error instanceof ServiceError ? error.message : 'The storage failed; the log has the cause.';
      return reply.code(503).header('retry-after', '1').send({ status: 'error', description });
    }
  });

  app.get(at('/openapi.json'), (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(description),
  );
}
