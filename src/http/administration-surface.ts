/**
 * The administration surface: the actor is settled from cookie, origin and CSRF token. Unknown members are always
 * refused, since a misspelled one would be a change that does not happen.
 */
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../actor.ts';
import type { Named } from '../administration/authorize.ts';
import type { Settings } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { cookieName, csrfHeader } from '../operations/openapi.ts';
import { read } from '../operations/read.ts';
import { refuseUnstorable } from '../text.ts';
import type { SurfaceRules } from './route.ts';
import type { Services } from './services.ts';

export function administrationSurface({ settings, administration }: Services): SurfaceRules {
  async function settle(request: FastifyRequest): Promise<void> {
    const csrfToken = request.headers[csrfHeader];
    request.actor = await administration.sessions.settle(
      cookieOf(request),
      typeof csrfToken === 'string' ? csrfToken : undefined,
      request.method,
      request.ip,
    );
  }
  return {
    bodyBytesMax: ({ caller }) => (caller === 'none' ? settings.signInBytesMax : settings.bodyBytesMax),
    settle:
      ({ caller }) =>
      (request, _reply, done) => {
        try {
          refuseOtherOrigin(request, settings);
        } catch (error) {
          return done(error as Error);
        }
        if (caller === 'none') return done();
        settle(request).then(() => done(), done);
      },
    isStrict: () => true,
    params({ params: shape }, params) {
      // No id contains NUL, and not every database accepts it in a query.
      for (const [name, value] of Object.entries(params as Readonly<Record<string, string>>)) {
        refuseUnstorable(name, value);
      }
      return read(shape, params);
    },
    asked: ({ actor }, params) => ({ actor: actor as Actor, named: params as Named }),
    token: () => undefined,
  };
}

/**
 * The session's cookie. Conflicting duplicates are ignored: another host of the same domain may have set one of them to
 * make its visitor act in a foreign session.
 */
export function cookieOf(request: FastifyRequest, wanted = cookieName): string | undefined {
  const values = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=', 2);
    return name === wanted && value !== undefined ? [value] : [];
  });
  return new Set(values).size === 1 ? values[0] : undefined;
}

/** A page of another origin must not make a visitor's browser act here, not even sign in. */
function refuseOtherOrigin(request: FastifyRequest, { publicUrl }: Pick<Settings, 'publicUrl'>): void {
  const { origin } = request.headers;
  if (request.method === 'GET' || request.method === 'HEAD' || origin === undefined) return;
  if (publicUrl !== '' && origin === new URL(publicUrl).origin) return;
  if (URL.canParse(origin) && new URL(origin).host === request.host) return;
  throw new ServiceError('forbidden', 'Origin: the request comes from a page of another origin.');
}
