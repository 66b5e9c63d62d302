/** For operators and tools: liveness, readiness, and the descriptions of both surfaces. */
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../errors.ts';
import { openApi, prefixes } from '../operations/openapi.ts';
import { operations } from './api/operations.ts';
import type { Services } from './services.ts';

/** How long each part of the storage may take, so that `/readyz` answers within 2 seconds. */
const readyTimeMs = 1_500;

export function statusRoutes(app: FastifyInstance, { settings, data, log, version, state }: Services): void {
  const at = (path: string) => `${settings.basePath}${path}`;

  app.get(at('/livez'), async () => ({ status: 'OK' }));

  app.get(at('/readyz'), async (_request, reply) => {
    if (state.stage !== 'ready') {
      const description = `The service is ${state.stage === 'starting' ? 'starting' : 'stopping'}.`;
      return reply.code(503).send({ status: 'error', description });
    }
    try {
      const faults = await data.storage.check(readyTimeMs);
      if (faults.length === 0) return { status: 'OK' };
      // Still ready: a missing node affects only its data spaces, and does so in every instance.
      const description = faults.map(({ told }) => told).join(' ');
      return { status: 'degraded', description, nodes: faults.map(({ node }) => node) };
    } catch (error) {
      log.error({ err: error }, 'Not ready.');
      const description = error instanceof ServiceError ? error.message : 'The storage failed; the log has the cause.';
      return reply.code(503).header('retry-after', '1').send({ status: 'error', description });
    }
  });

  for (const [surface, path] of [
    ['client', '/openapi.json'],
    ['administration', `${prefixes.administration}/openapi.json`],
  ] as const) {
    let description: string | undefined;
    app.get(at(path), (_request, reply) => {
      description ??= JSON.stringify(openApi(surface, operations, settings, version));
      return reply.header('content-type', 'application/json; charset=utf-8').send(description);
    });
  }
}
