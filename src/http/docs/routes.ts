/** Serves the documentation below `/docs`. Its libraries are loaded at the first request, to keep the start short. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DocAnswer } from './answer.ts';
import type { Site } from './frame.ts';

export function docRoutes(app: FastifyInstance, site: Site): void {
  let opened: Promise<DocAnswer> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    opened ??= import('./answer.ts').then(({ openDocs }) => openDocs(site));
    return (await opened)(request, reply);
  };
  app.get(`${site.base}/docs`, answer);
  app.get(`${site.base}/docs/*`, answer);
}
