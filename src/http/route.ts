/**
 * Registers one operation: settle the caller from header and path, then read query and body against the operation's
 * shapes, then call the feature. The order is docs/reference/requests.md#the-token's: without a valid token nothing is
 * said of the body.
 */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject } from 'typebox';
import type { AnonymousCaller, AnyCaller, Caller } from '../caller.ts';
import { malformed, shown } from '../errors.ts';
import type { JsonText } from '../storage/json-text.ts';
import type { AdminOperation } from '../wire/admin/operation.ts';
import type { Operation } from '../wire/operation.ts';
import { read, type Telling, untold } from '../wire/read.ts';
import { refuseUnknown } from '../wire/strict.ts';
import { answersUnderWay } from './answers.ts';
import type { Answer } from './envelope.ts';
import { isStrict } from './prefer.ts';
import { type AtEnd, atRequestEnd } from './request-end.ts';
import type { Services } from './services.ts';
import { type TokenReader, tokenReader } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Settled before the body is read; null on operations without a token. */
    caller: AnyCaller | null;
  }
  interface FastifyContextConfig {
    operation?: Operation | AdminOperation;
  }
}

export interface Prefix {
  readonly companyId: string;
  readonly appId: string;
  readonly appVersion: string;
}

type CallerOf<O extends Operation> = O['token'] extends 'user'
  ? Caller
  : O['token'] extends 'any'
    ? AnonymousCaller | Caller
    : null;

export interface Call<O extends Operation = Operation> {
  readonly caller: CallerOf<O>;
  readonly params: Prefix & Readonly<Record<string, string>>;
  readonly query: Static<O['query']>;
  readonly body: O['body'] extends TObject ? Static<O['body']> : undefined;
  /** Whether what is not known is refused; query and body were looked at already, as far as their shapes go. */
  readonly strict: boolean;
  /** The token of the request, as sent. */
  readonly token: string | undefined;
  readonly request: FastifyRequest;
}

/** Gives JSON text for a plain 200, or a whole answer. */
export type Handler<O extends Operation> = (call: Call<O>) => Promise<JsonText | Answer>;

export type Register = <O extends Operation>(operation: O, handler: Handler<O>) => void;

const prefix = '/api/:companyId/:appId/:appVersion';

export function registrar(app: FastifyInstance, services: Services): Register {
  const { settings } = services;
  const tokenOf = tokenReader(settings);
  const underWay = answersUnderWay(settings);
  const atEnd = atRequestEnd();
  return (operation, handler) => {
    const tell = operation.tag === 'sign-in' ? untold : shown;
    app.route({
      method: operation.method,
      url: `${settings.basePath}${prefix}${operation.path}`,
      config: { operation },
      bodyLimit:
        operation.tag === 'sign-in' ? Math.min(settings.signInBytesMax, settings.bodyBytesMax) : settings.bodyBytesMax,
      onRequest: settler(services, operation, tokenOf, atEnd),
      handler: async (request, reply) => {
        const strict = isStrict(request, reply);
        if (strict) refuseUnknownOf(operation, request);
        const call = {
          strict,
          caller: request.caller,
          params: request.params,
          query: read(operation.query, request.query, '', tell),
          body: operation.body === null ? undefined : readBody(operation.body, request.body, tell),
          token: tokenOf(request, operation),
          request,
        };
        // What was not read of it would stay in memory for as long as the request waits.
        request.body = undefined;
        const answer = await handler(call as unknown as Call<typeof operation>);
        if (typeof answer === 'string' || isPieces(answer))
          sendJson(reply, underWay.begin(answer, reply, onlyReads(operation)));
        else send(reply, answer);
        return reply;
      },
    });
  };
}

/** @throws ServiceError `malformed` */
function refuseUnknownOf({ query, body, tokenInQuery }: Operation, request: FastifyRequest): void {
  refuseUnknown(tokenInQuery ? withToken : query, request.query, 'query parameter');
  if (body !== null) refuseUnknown(body, request.body, 'member');
}

/** No operation that takes the token in the query has another parameter. */
const withToken = Type.Object({ token: Type.String() });

function readBody(shape: TObject, body: unknown, tell: Telling): unknown {
  if (body === undefined) throw malformed('body', 'nothing came; expected a JSON object.');
  return read(shape, body, '', tell);
}

/** A hook in callback style: the usual caller is in the cache and settled without a promise. */
function settler(services: Services, operation: Operation, tokenOf: TokenReader, atEnd: AtEnd) {
  const { auth, quotas } = services;
  const allow = operation.token;
  const disabledCode = (operation.codes as readonly number[]).includes(105) ? 105 : 121;
  const admit = (request: FastifyRequest, reply: FastifyReply, caller: AnyCaller) => {
    const ended = quotas.beginRequest(caller.companyId);
    if (ended !== null) atEnd(request, reply, ended);
    request.caller = caller;
  };
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    if (allow === 'none') return done();
    try {
      const path = request.params as Prefix;
      const token = tokenOf(request, operation);
      const caller = auth.settleCached(path, token, allow);
      if (caller !== null) {
        admit(request, reply, caller);
        return done();
      }
      auth
        .settle(path, token, allow, disabledCode)
        .then((settled) => admit(request, reply, settled))
        .then(() => done(), done);
    } catch (error) {
      done(error as Error);
    }
  };
}

/**
 * Whether nothing was done yet that has to be answered: a busy read is 212
 * (docs/reference/codes.md#where-no-listed-code-fits).
 */
export function onlyReads(operation: Operation | AdminOperation): boolean {
  return operation.faults.busy === 212;
}

export function send(reply: FastifyReply, answer: Answer): void {
  if (answer.headers !== undefined) reply.headers(answer.headers);
  sendJson(reply.code(answer.status), answer.body);
}

function isPieces(answer: JsonText | Answer): answer is Exclude<JsonText, string> {
  return Array.isArray(answer);
}

/** @param body JSON text, or its bytes, which may come in pieces */
function sendJson(reply: FastifyReply, body: string | Buffer | Readable): void {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
}
