/**
 * Answers requests that no route takes: 405 with `Allow` where the path is known with other methods, a page for a
 * browser, and the envelope with code 199 for everything else. None of it depends on stored data.
 */
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { suggestion } from '../nearest.ts';
import { isOfAdministration, prefixes } from '../operations/openapi.ts';
import { type Answer, alwaysOk, failure } from './envelope.ts';
import { contentPolicy } from './page-policies.ts';
import { send } from './route.ts';

type UnknownSettings = Pick<Settings, 'basePath' | 'errorStatus'>;

type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => void;

interface Known {
  readonly path: RegExp;
  readonly parameters: number;
  readonly methods: Set<string>;
}

/**
 * Must be called before the first route is registered: it records the methods of each route.
 * @returns the same answer, for a request that fails before its route was looked up
 */
export function answerUnknownRequests(app: FastifyInstance, settings: UnknownSettings): AnswerUnknown {
  const routes = new Map<string, Known>();
  app.addHook('onRoute', ({ url, method }) => {
    const parameters = url.split('/:').length - 1;
    const route = routes.getOrInsertComputed(url, () => ({ path: pathOf(url), parameters, methods: new Set() }));
    for (const each of [method].flat()) route.methods.add(each);
  });
  /** Of the route that matches most specifically: an id that equals part of another path is not a resource. */
  const methodsOf = (path: string): readonly string[] => {
    const fitting = [...routes.values()].filter((route) => route.path.test(path));
    const closest = fitting.sort((left, right) => left.parameters - right.parameters)[0];
    return [...(closest?.methods ?? [])].sort();
  };
  /** Suggests the spelling of a part of the path that is probably misspelt; empty if no path of the method is close enough. */
  const suggestionFor = (path: string, method: string): string => {
    const parts = path.split('/');
    for (const [url, { methods }] of routes) {
      const known = url.split('/');
      if (known.length !== parts.length || !methods.has(method)) continue;
      const differing = known.flatMap((part, at) => (part.startsWith(':') || part === parts[at] ? [] : [at]));
      const hint = differing.length === 1 ? suggestion(parts[differing[0]!]!, [known[differing[0]!]!]) : '';
      if (hint !== '') return hint;
    }
    return '';
  };
  const page = readFileSync(new URL('./pages/not-found.html', import.meta.url), 'utf8');
  const notFound = page.replaceAll('{{base}}', settings.basePath);

  const answer: AnswerUnknown = (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const allowed = methodsOf(path);
    if (allowed.length === 0 && wantsPage(request, path, settings)) {
      reply.code(404).headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': contentPolicy });
      reply.send(notFound);
      return;
    }
    const hint = suggestionFor(path, request.method);
    const isKnown = allowed.length > 0;
    send(reply, isKnown ? otherMethod(request, allowed, hint, settings) : noSuchRequest(request.url, settings, hint));
  };
  app.setNotFoundHandler(answer);
  return answer;
}

/** The answer for a path outside of every interface. @param hint a further sentence */
export function noSuchRequest(url: string, settings: UnknownSettings, hint = ''): Answer {
  const pages = `${settings.basePath}/docs/api`;
  const message = `There is no such request; see ${pages} for all of them, or ${descriptionOf(url, settings)}.`;
  const error = new ServiceError(199, message + hint);
  return failure(undefined, error, alwaysOk(url, settings));
}

function otherMethod(
  { method, url }: FastifyRequest,
  allowed: readonly string[],
  hint: string,
  settings: UnknownSettings,
): Answer {
  const methods = allowed.join(', ');
  const message = `There is no ${method} request with this path, only ${methods}; see ${descriptionOf(url, settings)}.`;
  const error = new ServiceError(199, message + hint, { status: 405 });
  return { ...failure(undefined, error, alwaysOk(url, settings)), headers: { allow: methods } };
}

/** The address of the interface's description. */
function descriptionOf(url: string, { basePath }: UnknownSettings): string {
  return `${basePath}${isOfAdministration(url, basePath) ? prefixes.administration : ''}/openapi.json`;
}

/** A route's path as a pattern for request paths; each parameter matches one segment. */
function pathOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : RegExp.escape(segment)));
  return new RegExp(`^${segments.join('/')}/?$`);
}

/**
 * A person with a browser. Programs may name `text/html` too, as some HTTP libraries do by default, so below the
 * interfaces' paths it has to be a navigation (https://w3c.github.io/webappsec-fetch-metadata/).
 */
function wantsPage({ method, headers }: FastifyRequest, path: string, { basePath }: UnknownSettings): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !headers.accept?.includes('text/html')) return false;
  const isOfInterface = path.startsWith(`${basePath}/api/`) || isOfAdministration(path, basePath);
  return !isOfInterface || headers['sec-fetch-mode'] === 'navigate';
}
