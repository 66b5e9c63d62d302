/**
 * Sign-in to the administration over HTTP: its cookies, the return from the identity provider, and who is signed in.
 */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../../actor.ts';
import { permittedSomewhere } from '../../administration/authorize.ts';
import { changeOwnPassword } from '../../administration/own-password.ts';
import { beginProviderSignIn, finishProviderSignIn } from '../../administration/provider-sign-in.ts';
import { csrfTokenOf, type StartedSession } from '../../administration/sessions.ts';
import { completeSetUp } from '../../administration/set-up.ts';
import { endReplaced, signInWithPassword, signOut } from '../../administration/sign-in.ts';
import type { Settings } from '../../config.ts';
import { ServiceError } from '../../errors.ts';
import { codeOf } from '../../operations/define.ts';
import { cookieName, prefixes } from '../../operations/openapi.ts';
import { cookieOf } from '../administration-surface.ts';
import { type Answer, success } from '../envelope.ts';
import type { Handlers } from '../route.ts';
import type { Services } from '../services.ts';
import { administrationSignInOperations } from './administration-sign-in.operations.ts';
import { timesIn } from './lists.ts';

/** Binds a sign-in at the provider to the browser that began it. */
const flowCookieName = 'rowhouse_admin_flow';
const callbackPath = `${prefixes.administration}/sign-in/callback`;

export function administrationSignInHandlers(services: Services): Handlers<typeof administrationSignInOperations> {
  const { administration, settings } = services;
  const from = (request: FastifyRequest) => ({ address: request.ip });
  return {
    setUp: async ({ body, request }) =>
      signedIn(await completeSetUp(administration, body, from(request)), request, services),
    signIn: async ({ body, request }) =>
      signedIn(await signInWithPassword(administration, body, from(request)), request, services),
    beginProviderSignIn: async ({ request }) => {
      const begun = await beginProviderSignIn(administration, redirectUriOf(request, settings), from(request));
      // The provider redirects from another site, and a strict cookie would not be sent.
      const cookie = cookieText(flowCookieName, begun.flowCookie, request, settings, {
        sameSite: 'Lax',
        seconds: Math.ceil(settings.loginFlowLifeMs / 1_000),
      });
      return {
        status: 200,
        body: success({ results: { location: begun.location } }),
        headers: { 'set-cookie': cookie },
      };
    },
    getSession: async ({ request }) => success({ results: { csrfToken: csrfTokenOf(cookieOf(request) ?? '') } }),
    signOut: async ({ actor, request }) => {
      await signOut(administration, actor, cookieOf(request) ?? '');
      const cookie = cookieText(cookieName, '', request, settings, { sameSite: 'Strict', seconds: 0 });
      return { status: 200, body: success(), headers: { 'set-cookie': cookie } };
    },
    changeOwnPassword: async ({ actor, body, request }) => {
      await changeOwnPassword(administration, actor, { ...body, cookie: cookieOf(request) ?? '' });
      return success();
    },
    getMe: async ({ actor }) =>
      success({ results: actorResponse(actor, await permittedSomewhere(administration, actor)) }),
  };
}

/**
 * The provider redirects browsers to this address, with parameters of its choice; it is not an operation for programs.
 */
export function providerCallback(app: FastifyInstance, services: Services): void {
  const { administration, settings } = services;
  app.get(`${settings.basePath}${callbackPath}`, async (request, reply) => {
    const forget = cookieText(flowCookieName, '', request, settings, { sameSite: 'Lax', seconds: 0 });
    const home = `${settings.basePath}/admin/`;
    const answer = providerAnswer(request);
    const redirectUri = redirectUriOf(request, settings);
    try {
      const flowCookie = cookieOf(request, flowCookieName);
      const session = await finishProviderSignIn(administration, redirectUri, flowCookie, answer, {
        address: request.ip,
      });
      await endFormer(request, services);
      return reply.header('set-cookie', [sessionCookie(session, request, settings), forget]).redirect(home, 303);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return reply
        .header('set-cookie', forget)
        .redirect(`${home}#refused=${codeOf(administrationSignInOperations.signIn, error.reason)}`, 303);
    }
  });
}

async function signedIn(session: StartedSession, request: FastifyRequest, services: Services): Promise<Answer> {
  const { settings } = services;
  await endFormer(request, services);
  const { csrfToken, expires } = session;
  const results = { csrfToken, expires: timesIn(settings).responses(expires) };
  return {
    status: 200,
    body: success({ results }),
    headers: { 'set-cookie': sessionCookie(session, request, settings) },
  };
}

/** Ends the session whose cookie the new one replaces. */
async function endFormer(request: FastifyRequest, { administration }: Services): Promise<void> {
  const cookie = cookieOf(request) ?? '';
  if (cookie !== '') await endReplaced(administration, cookie, { address: request.ip });
}

/** Without a maximum age: it ends with the browser at the latest. */
function sessionCookie({ cookie }: StartedSession, request: FastifyRequest, settings: Settings): string {
  return cookieText(cookieName, cookie, request, settings, { sameSite: 'Strict' });
}

function cookieText(
  name: string,
  value: string,
  request: FastifyRequest,
  settings: Settings,
  { sameSite, seconds }: { readonly sameSite: 'Strict' | 'Lax'; readonly seconds?: number },
): string {
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  const secure = isPlain(request, settings) ? '' : '; Secure';
  return `${name}=${value}; Path=${settings.basePath}/admin; HttpOnly; SameSite=${sameSite}${age}${secure}`;
}

/** Omits `Secure` only on this machine, or where the operator has configured plain http. */
function isPlain({ hostname, protocol }: FastifyRequest, { publicUrl }: Settings): boolean {
  if (publicUrl !== '') return publicUrl.startsWith('http:');
  return protocol === 'http' && /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(hostname);
}

/** As registered at the provider. */
function redirectUriOf(request: FastifyRequest, { publicUrl, basePath }: Settings): string {
  return `${publicUrl || `${request.protocol}://${request.host}`}${basePath}${callbackPath}`;
}

function providerAnswer({ query }: FastifyRequest) {
  const parameters = query as Readonly<Record<string, unknown>>;
  const textOf = (name: string) => {
    const value = parameters[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { code: textOf('code'), state: textOf('state'), iss: textOf('iss') };
}

function actorResponse(actor: Actor, permissions: readonly string[]): object {
  const { kind } = actor;
  switch (kind) {
    case 'administrator':
      return { kind, id: actor.administratorId, account: actor.account, permissions };
    case 'user': {
      const { userId: id, account, companyId, memberships } = actor;
      return { kind, id, account, companyId, memberships, permissions };
    }
    case 'operator':
      throw new ServiceError('internal', 'The command line has no session.');
  }
}
