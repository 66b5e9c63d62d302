/**
 * Registers the operations of a resource: settles the caller from header and path, reads the request against the
 * operation's shapes, then calls the handler, in the order of docs/reference/requests.md#the-token: without a valid
 * token or session nothing about the body is revealed.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject } from 'typebox';
import type { Actor } from '../actor.ts';
import { authorize, type Named, type Permitted } from '../administration/authorize.ts';
import type { PermittedOperation } from '../administration/permissions.ts';
import type { AnonymousCaller, AnyCaller, Caller } from '../caller.ts';
import { malformed, quoted } from '../errors.ts';
import type { Operation, Surface } from '../operations/define.ts';
import { prefixes } from '../operations/openapi.ts';
import { type Quote, read, redacted } from '../operations/read.ts';
import { refuseUnknown } from '../operations/strict.ts';
import type { JsonText } from '../storage/json-text.ts';
import { administrationSurface } from './administration-surface.ts';
import { answersUnderWay } from './answers.ts';
import { clientSurface } from './client-surface.ts';
import type { Answer } from './envelope.ts';
import { type Export, sendExport } from './export.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Settled before the body is read; null for operations without a token. */
    caller: AnyCaller | null;
    /** Settled before the body is read; null for operations without a session. */
    actor: Actor | null;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

export interface Prefix {
  readonly companyId: string;
  readonly appId: string;
  readonly appVersion: string;
}

type CallerOf<O extends Operation> = O['caller'] extends 'user'
  ? Caller
  : O['caller'] extends 'any'
    ? AnonymousCaller | Caller
    : null;

type ActorOf<O extends Operation> = O['permission'] extends PermittedOperation
  ? Permitted<O['permission']>
  : O['caller'] extends 'session'
    ? Actor
    : null;

export interface Call<O extends Operation = Operation> {
  /** Of clients. */
  readonly caller: CallerOf<O>;
  /** For the administration, and for client operations that require a permission. */
  readonly actor: ActorOf<O>;
  readonly params: O['surface'] extends 'client' ? Prefix & Readonly<Record<string, string>> : Static<O['params']>;
  readonly query: Static<O['query']>;
  readonly body: O['body'] extends TObject ? Static<O['body']> : undefined;
  /** Whether unknown members are refused; query and body have been checked already, as far as their shapes go. */
  readonly strict: boolean;
  /** The token of the request, as sent. */
  readonly token: string | undefined;
  readonly request: FastifyRequest;
}

/** Returns JSON text for a plain 200, a whole answer, or lines that are made while they are sent. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<JsonText | Answer | Export>;

/** One handler for each operation of a resource. */
export type Handlers<Operations extends Readonly<Record<string, Operation>>> = {
  readonly [Name in keyof Operations]: Handler<Operations[Name]>;
};

export type Register = <Operations extends Readonly<Record<string, Operation>>>(
  operations: Operations,
  handlers: Handlers<Operations>,
) => void;

/** The differences between the client surface and the administration surface. */
export interface SurfaceRules {
  bodyBytesMax(operation: Operation): number;
  /** Settles the caller, or refuses. */
  settle(operation: Operation): (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;
  /** Whether unknown members are refused. */
  isStrict(request: FastifyRequest, reply: FastifyReply): boolean;
  params(operation: Operation, params: unknown): unknown;
  /** For an operation that requires a permission: the actor and the target. */
  asked(request: FastifyRequest, params: unknown): { readonly actor: Actor; readonly named: Named };
  token(request: FastifyRequest, operation: Operation): string | undefined;
}

export function registrar(app: FastifyInstance, services: Services): Register {
  const { settings, administration, statistics } = services;
  app.decorateRequest('caller', null);
  app.decorateRequest('actor', null);
  const surfaces: Readonly<Record<Surface, SurfaceRules>> = {
    client: clientSurface(services),
    administration: administrationSurface(services),
  };
  const underWay = { client: answersUnderWay(settings), administration: answersUnderWay(settings) };

  function register(operation: Operation, handler: (call: unknown) => ReturnType<Handler<Operation>>): void {
    const { surface, query, body } = operation;
    const permission = operation.permission as PermittedOperation | null;
    const rules = surfaces[surface];
    const quote = operation.tag === 'sign-in' ? redacted : quoted;
    const known = { query: knownInQuery(operation), body };
    app.route({
      method: operation.method,
      url: `${settings.basePath}${prefixes[surface]}${operation.path}`,
      config: { operation },
      bodyLimit: Math.min(rules.bodyBytesMax(operation), settings.bodyBytesMax),
      onRequest: rules.settle(operation),
      handler: async (request, reply) => {
        const begun = performance.now();
        const params = rules.params(operation, request.params);
        const strict = rules.isStrict(request, reply) || operation.alwaysStrict === true;
        if (strict) refuseUnknownOf(known, request);
        const call = {
          strict,
          caller: request.caller,
          actor: request.actor,
          params,
          query: read(query, request.query, '', quote),
          body: body === null ? undefined : readBody(body, request.body, quote),
          token: rules.token(request, operation),
          request,
        };
        // Unread parts would stay in memory for as long as the request waits.
        request.body = undefined;
        if (permission !== null) {
          const { actor, named } = rules.asked(request, params);
          call.actor = await authorize(administration, actor, permission, named);
        }
        const answer = await handler(call);
        statistics.answered(performance.now() - begun);
        if (typeof answer === 'string' || isPieces(answer))
          sendJson(reply, underWay[surface].begin(answer, reply, onlyReads(operation)));
        else if ('lines' in answer) sendExport(reply, answer);
        else send(reply, answer);
        return reply;
      },
    });
  }

  return (operations, handlers) => {
    for (const [name, operation] of Object.entries(operations)) {
      register(operation, handlers[name] as Parameters<typeof register>[1]);
    }
  };
}

/** @throws ServiceError `malformed` */
function refuseUnknownOf({ query, body }: Pick<Operation, 'query' | 'body'>, request: FastifyRequest): void {
  refuseUnknown(query, request.query, 'query parameter');
  if (body !== null) refuseUnknown(body, request.body, 'member');
}

/** The query parameters that strict handling accepts. */
function knownInQuery({ query, tokenInQuery }: Operation): TObject {
  return tokenInQuery ? Type.Object({ ...query.properties, token: Type.String() }) : query;
}

function readBody(shape: TObject, body: unknown, quote: Quote): unknown {
  if (body === undefined) throw malformed('body', 'expected a JSON object, got nothing.');
  return read(shape, body, '', quote);
}

/**
 * Whether the request can still be refused, because it has had no effect yet. A busy read is 212
 * (docs/reference/codes.md#where-no-listed-code-fits).
 */
export function onlyReads(operation: Operation): boolean {
  return operation.faults.busy === 212;
}

export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  sendJson(reply.code(answer.status), answer.body);
}

function isPieces(answer: JsonText | Answer | Export): answer is Exclude<JsonText, string> {
  return Array.isArray(answer);
}

/** @param body JSON text, or its bytes, possibly in pieces */
function sendJson(reply: FastifyReply, body: string | Buffer | Readable): void {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
}
