/** The HTTP server: limits, bodies, errors, and all routes. */
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Settings } from '../config.ts';
import { malformed, quoted, ServiceError } from '../errors.ts';
import { registerOperations } from './api/handlers.ts';
import { boundBodies } from './bodies-under-way.ts';
import { parseBody } from './body.ts';
import { allowOrigins } from './cors.ts';
import { alwaysOk, failure } from './envelope.ts';
import { compiledBytes, parseLargeBody } from './large-body.ts';
import { pageRoutes } from './pages.ts';
import { type BodyParser, letGo, takingWhole } from './read-body.ts';
import { onlyReads, send } from './route.ts';
import { answerClientErrors, safetyHeaders, sendSafetyHeaders } from './safety.ts';
import { withoutQuotations } from './secrets.ts';
import type { Services } from './services.ts';
import { boundConnections, connectionTimes } from './slow-clients.ts';
import type { ServiceState } from './state.ts';
import { statusRoutes } from './status.ts';
import { orderlyStop, refuseWhileClosing } from './stop.ts';
import { answerUnknownRequests, noSuchRequest } from './unknown-requests.ts';

/** Longest path parameter: an objectId of 200 characters, percent-encoded. */
const parameterCharactersMax = 2_400;

export interface HttpServer {
  /** @returns the address at which it answers. @throws Error when the address is not available */
  listen(): Promise<string>;
  /** Stops it in good order (`stop.ts`). */
  close(): Promise<void>;
}

export function buildServer(services: Services): HttpServer {
  const { settings } = services;
  const app = Fastify({
    logger: false,
    bodyLimit: settings.bodyBytesMax,
    ...connectionTimes(settings),
    trustProxy: believedProxies(settings),
    return503OnClosing: false,
    routerOptions: { maxParamLength: parameterCharactersMax, ignoreTrailingSlash: true },
    clientErrorHandler: answerClientErrors(settings),
    frameworkErrors: (_error, request, reply) =>
      send(reply.headers(safetyHeaders(settings)), noSuchRequest(request.url, settings)),
  });
  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node alone would answer 417 without an
  // envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  boundConnections(app, settings);
  sendSafetyHeaders(app, settings);
  allowOrigins(app, services);
  refuseWhileClosing(app, services.state);
  boundBodies(app, settings);
  takeBodies(app, settings);
  answerErrors(app, services, answerUnknownRequests(app, settings));

  registerOperations(app, services);
  statusRoutes(app, services);
  pageRoutes(app, services);
  return {
    listen: () => app.listen({ host: settings.host, port: settings.port }),
    close: orderlyStop(app, settings, services.state),
  };
}

/** The nearest ones: entries further left in X-Forwarded-For come from the client, who may write anything there. */
function believedProxies({ trustProxy, proxyHops }: Settings): false | ((address: string, hop: number) => boolean) {
  return trustProxy && ((_address, hop) => hop < proxyHops);
}

function takeBodies(app: FastifyInstance, settings: Settings): void {
  /** A small body is complete at once, and a promise would cost as much as reading it. */
  const parse: BodyParser = (request, bytes, done) => {
    const { weighBody, routeOptions } = request;
    if (weighBody === null) return done(null, parseBody(bytes, settings));
    const { operation } = routeOptions.config;
    const isQuery = operation !== undefined && onlyReads(operation);
    return parseLargeBody(bytes, settings, (weightBytes, values) =>
      weighBody(weightBytes + (isQuery ? compiledBytes(bytes.length, values, settings) : 0)),
    );
  };
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    takingWhole((request, bytes, done) => {
      if (isIgnored(request)) return done(null, undefined);
      const charset = /charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
      if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
        throw malformed('Content-Type', `expected charset utf-8, got ${quoted(charset)}.`);
      }
      return parse(request, bytes, done);
    }),
  );
  app.addContentTypeParser(
    '*',
    takingWhole((request, bytes, done) => {
      const type = request.headers['content-type'];
      if (isIgnored(request) || bytes.length === 0) return done(null, undefined);
      if (type === undefined) return parse(request, bytes, done);
      throw otherType(type);
    }),
  );
  // The framework refuses an empty type before it looks for a parser; here it counts as absent and is read as JSON.
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] === '') delete request.headers['content-type'];
    done();
  });
}

function otherType(type: string): ServiceError {
  return malformed('Content-Type', `expected application/json, got ${quoted(type)}.`);
}

/** The body of an unknown request, or of one that takes no body, is never parsed. */
function isIgnored(request: FastifyRequest): boolean {
  return request.routeOptions.config.operation?.body == null;
}

function answerErrors(
  app: FastifyInstance,
  services: Services,
  answerUnknown: ReturnType<typeof answerUnknownRequests>,
): void {
  const { settings, log, statistics } = services;
  app.setErrorHandler((error: FastifyError | ServiceError, request, reply) => {
    letGoOf(request, reply, error, services.state);
    // Errors in its head or body do not matter, because it would not be read.
    if (request.is404 && !(error instanceof ServiceError)) return answerUnknown(request, reply);
    const operation = request.routeOptions.config?.operation;
    const known = asServiceError(error, request, settings);
    const answer = failure(operation, known, alwaysOk(request.url, settings), request.id);
    const { caller, actor } = request;
    const entry = {
      request: request.id,
      operation: operation?.name,
      code: answer.code,
      company: caller?.companyId,
      app: caller?.appId,
      version: caller?.appVersion,
      user: caller?.kind === 'user' ? caller.userId : actor?.kind === 'user' ? actor.userId : undefined,
      administrator: actor?.kind === 'administrator' ? actor.administratorId : undefined,
    };
    const { cause } = known.details;
    const isOurs = cause !== undefined && answer.level !== 'info';
    log[answer.level](isOurs ? { ...entry, err: cause } : entry, withoutQuotations(known.message));
    if (answer.level === 'error') statistics.failed();
    else statistics.refused();
    send(reply, answer);
  });
}

/**
 * Keeps a connection on which a refused body is still arriving. The framework would close it, and a client that is
 * still sending would get a reset instead of the answer. A stopping service still closes every connection.
 */
function letGoOf(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  error: Error & { readonly code?: unknown },
  { stage }: ServiceState,
): void {
  if (raw.complete || error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return;
  if (stage === 'ready') reply.removeHeader('connection');
  if (raw.readableFlowing === null) letGo(raw);
}

function asServiceError(error: FastifyError | ServiceError, request: FastifyRequest, settings: Settings): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit = settings.bodyBytesMax } = request.routeOptions;
    const setting = bodyLimit === settings.bodyBytesMax ? ' (setting bodyBytesMax)' : '';
    return malformed('body', `it is larger than ${bodyLimit} bytes${setting}.`);
  }
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return otherType(request.headers['content-type'] ?? '');
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return new ServiceError('malformed', `request: ${error.message}.`, { status });
  return new ServiceError('internal', 'A fault of the service.', { cause: error });
}
