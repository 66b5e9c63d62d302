/** For operators and tools: liveness, readiness, and the description of the interface. */
import type { FastifyInstance } from 'fastify';
import { openApi } from '../openapi.ts';
import type { Services } from '../services.ts';

/** How long `/readyz` waits for the databases. */
const readyTimeMs = 2_000;

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
      await within(readyTimeMs, data.storage.check());
      return { status: 'OK' };
    } catch (error) {
      log.error({ err: error }, 'Not ready: a database does not answer.');
      return reply
        .code(503)
        .send({ status: 'error', description: 'A database does not answer; the log has the cause.' });
    }
  });

  app.get(at('/openapi.json'), (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(description),
  );
}

async function within(timeMs: number, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeMs} ms`)), timeMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
