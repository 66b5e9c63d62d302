/**
 * Registers one operation of the administration interface: the actor is settled from cookie, origin and CSRF token
 * before a byte of the body is judged; then path, query and body are read against the operation's shapes, in which
 * nothing unknown is passed over, since a misspelled member would be a change that does not happen.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TObject } from 'typebox';
import type { Actor } from '../../actor.ts';
import type { Settings } from '../../config.ts';
import { malformed, ServiceError, shown } from '../../errors.ts';
import type { AdminOperation } from '../../wire/admin/operation.ts';
import { read, type Telling, untold } from '../../wire/read.ts';
import { refuseUnknown } from '../../wire/strict.ts';
import { answersUnderWay } from '../answers.ts';
import type { Answer } from '../envelope.ts';
import { send } from '../route.ts';
import type { Services } from '../services.ts';
import { type Export, sendExport } from './export.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Settled before the body is read; null on operations without a session. */
    actor: Actor | null;
  }
}

export interface AdminCall<O extends AdminOperation = AdminOperation> {
  readonly actor: O['permission'] extends 'open' ? null : Actor;
  readonly params: Static<O['params']>;
  readonly query: Static<O['query']>;
  readonly body: O['body'] extends TObject ? Static<O['body']> : undefined;
  readonly request: FastifyRequest;
}

/** Gives JSON text for a plain 200, a whole answer, or lines that are made while they are sent. */
export type AdminHandler<O extends AdminOperation> = (call: AdminCall<O>) => Promise<string | Answer | Export>;

export type AdminRegister = <O extends AdminOperation>(operation: O, handler: AdminHandler<O>) => void;

export const adminPrefix = '/admin/api';

export const cookieName = 'rowhouse_admin';

export function adminRegistrar(app: FastifyInstance, services: Services): AdminRegister {
  const { settings } = services;
  const underWay = answersUnderWay(settings);
  app.decorateRequest('actor', null);
  return (operation, handler) => {
    const isOpen = operation.permission === 'open';
    const tell = operation.tag === 'sign-in' ? untold : shown;
    app.route({
      method: operation.method,
      url: `${settings.basePath}${adminPrefix}${operation.path}`,
      config: { operation },
      bodyLimit: isOpen ? Math.min(settings.signInBytesMax, settings.bodyBytesMax) : settings.bodyBytesMax,
      onRequest: async (request) => {
        refuseOtherOrigin(request, settings);
        if (!isOpen) request.actor = await settle(request, services);
      },
      handler: async (request, reply) => {
        const call = {
          actor: request.actor,
          params: readParams(operation.params, request.params),
          query: readQuery(operation.query, request.query, tell),
          body: operation.body === null ? undefined : readBody(operation.body, request.body, tell),
          request,
        };
        // As in `route.ts`.
        request.body = undefined;
        const answer = await handler(call as unknown as AdminCall<typeof operation>);
        if (typeof answer === 'string') {
          const body = underWay.begin(answer, reply, operation.method === 'GET');
          reply.header('content-type', 'application/json; charset=utf-8').send(body);
        } else if ('lines' in answer) sendExport(reply, answer);
        else send(reply, answer);
        return reply;
      },
    });
  };
}

function settle(request: FastifyRequest, { administration }: Services): Promise<Actor> {
  const csrfToken = request.headers['x-csrf-token'];
  return administration.sessions.settle(
    cookieOf(request),
    typeof csrfToken === 'string' ? csrfToken : undefined,
    request.method,
    request.ip,
  );
}

/**
 * The session's cookie. Two different ones of its name are none: another host of the same domain may have set one of
 * them, to have its visitor act in a session that is not the visitor's own.
 */
export function cookieOf(request: FastifyRequest, wanted = cookieName): string | undefined {
  const values = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=', 2);
    return name === wanted && value !== undefined ? [value] : [];
  });
  return new Set(values).size === 1 ? values[0] : undefined;
}

/** A page of another origin may not have its visitor's browser do anything here, not even a sign-in. */
function refuseOtherOrigin(request: FastifyRequest, { publicUrl }: Pick<Settings, 'publicUrl'>): void {
  const { origin } = request.headers;
  if (request.method === 'GET' || request.method === 'HEAD' || origin === undefined) return;
  if (publicUrl !== '' && origin === new URL(publicUrl).origin) return;
  if (URL.canParse(origin) && new URL(origin).host === request.host) return;
  throw new ServiceError('forbidden', 'Origin: the request comes from a page of another origin than this service.');
}

/** No id has a NUL in it, and not every database can be asked for one. */
function readParams(shape: TObject, params: unknown): unknown {
  for (const [name, value] of Object.entries(params as Readonly<Record<string, string>>)) {
    if (value.includes('\0')) throw malformed(name, 'the character NUL (U+0000) came, which no id has.');
  }
  return read(shape, params);
}

function readQuery(shape: TObject, query: unknown, tell: Telling): unknown {
  refuseUnknown(shape, query, 'query parameter');
  return read(shape, query, '', tell);
}

function readBody(shape: TObject, body: unknown, tell: Telling): unknown {
  if (body === undefined) throw malformed('body', 'nothing came; expected a JSON object.');
  refuseUnknown(shape, body, 'member');
  return read(shape, body, '', tell);
}
