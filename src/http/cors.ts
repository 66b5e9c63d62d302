/**
 * Which pages of other origins may call an application (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol): those
 * of its `corsOrigins`. No answer allows credentials, since clients send their token in a header, and only our own
 * pages may use the administration's cookie. A request without `Origin` costs nothing here.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tokenHeader } from '../operations/openapi.ts';
import { Lru } from '../storage/lru.ts';
import type { Services } from './services.ts';

/** How long origins are cached. */
const rememberMs = 5_000;
const rememberedMax = 1_000;
/** How long a browser may cache the answer. */
const preflightSeconds = 600;

const methods = 'GET, POST, PUT, DELETE';
/** Headers of an answer that a script may read. */
const readable = 'date, location, preference-applied, retry-after';

/** The OpenAPI documents are for tools of any origin; the one with tables also requires a token. */
function descriptionsBelow(basePath: string): RegExp {
  return new RegExp(`^${RegExp.escape(basePath)}(?:/admin/api|/api/[^/]+/[^/]+/[^/]+)?/openapi\\.json(?:\\?|$)`);
}

export function allowOrigins(app: FastifyInstance, services: Services): void {
  const { settings, environment, directory, demo, log } = services;
  const applicationPath = new RegExp(
    `^${RegExp.escape(settings.basePath)}/api/([1-9]\\d{0,9})/([A-Za-z0-9._-]{1,100})/`,
  );
  const description = descriptionsBelow(settings.basePath);
  const sendable = ['content-type', 'prefer', tokenHeader, ...settings.tokenHeaders].join(', ');
  const remembered = new Lru<string, { readonly origins: readonly string[]; readonly until: number }>(rememberedMax);

  async function originsOf(companyId: string, appId: string): Promise<readonly string[]> {
    const key = `${companyId}/${appId}`;
    const known = remembered.get(key);
    if (known !== undefined && environment.now() < known.until) return known.origins;
    const until = environment.now() + rememberMs;
    const application = await directory.applications.find(Number(companyId), appId);
    const origins = application?.corsOrigins ?? [];
    remembered.set(key, { origins, until });
    return origins;
  }

  async function isAllowed(request: FastifyRequest, origin: string): Promise<boolean> {
    const [, companyId, appId] = applicationPath.exec(request.url) ?? [];
    if (companyId === undefined || appId === undefined) return false;
    if (demo !== null && isOfThisMachine(origin)) return true;
    return (await originsOf(companyId, appId)).includes(origin);
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, origin: string): Promise<void> {
    reply.header('vary', 'origin');
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (await isAllowed(request, origin)) {
      reply.header('access-control-allow-origin', origin);
      // This origin may read the answers, although nobody else may load them.
      reply.header('cross-origin-resource-policy', 'cross-origin');
      if (isPreflight) {
        reply.headers({
          'access-control-allow-methods': methods,
          'access-control-allow-headers': sendable,
          'access-control-max-age': String(preflightSeconds),
        });
      } else reply.header('access-control-expose-headers', readable);
    }
    // Except for the headers, the same for every origin and application: it reveals nothing about what exists.
    if (isPreflight) reply.code(204).send();
  }

  function answerAnybody(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
    const wanted = request.headers['access-control-request-method'];
    if (request.method !== 'OPTIONS' || wanted === undefined) return;
    const permitted = { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': sendable };
    reply.headers({ ...permitted, 'access-control-max-age': String(preflightSeconds) });
    reply.code(204).send();
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) return done();
    if (description.test(request.url)) {
      answerAnybody(request, reply);
      if (!reply.sent) done();
      return;
    }
    if (!request.url.startsWith(`${settings.basePath}/api/`)) return done();
    answer(request, reply, origin).then(
      () => {
        if (!reply.sent) done();
      },
      (error: unknown) => {
        log.warn({ err: error }, 'The allowed origins of an application could not be read.');
        done();
      },
    );
  });
}

/** For the demo, which listens on this machine only: developers serve their page from another local port. */
function isOfThisMachine(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);
}
