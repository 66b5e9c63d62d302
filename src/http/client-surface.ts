/** The client surface: a token settles the caller, and unknown members are ignored unless the request is strict. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actingUser } from '../actor.ts';
import type { AnyCaller, Caller } from '../caller.ts';
import { isStrict } from './prefer.ts';
import { atRequestEnd } from './request-end.ts';
import type { Prefix, SurfaceRules } from './route.ts';
import type { Services } from './services.ts';
import { tokenReader } from './tokens.ts';

export function clientSurface({ settings, auth, quotas }: Services): SurfaceRules {
  const tokenOf = tokenReader(settings);
  const atEnd = atRequestEnd();
  const admit = (request: FastifyRequest, reply: FastifyReply, caller: AnyCaller) => {
    const ended = quotas.beginRequest(caller.companyId);
    if (ended !== null) atEnd(request, reply, ended);
    request.caller = caller;
  };
  return {
    bodyBytesMax: ({ tag }) => (tag === 'sign-in' ? settings.signInBytesMax : settings.bodyBytesMax),
    // In callback style: the usual caller is cached and settled without a promise.
    settle(operation) {
      const { caller: allow, codes } = operation;
      if (allow !== 'any' && allow !== 'user') return (_request, _reply, done) => done();
      const disabledCode = codes.includes(105) ? 105 : 121;
      return (request, reply, done) => {
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
    },
    isStrict,
    params: (_operation, params) => params,
    asked({ caller, ip }) {
      const { companyId, appId } = caller as Caller;
      return { actor: actingUser(caller as Caller, { address: ip }), named: { companyId, appId } };
    },
    token: tokenOf,
  };
}
