/** Sign-in (docs/reference/sign-in.md). */
import type { AttemptKind } from '../../auth/attempts.ts';
import type { AuthInfo } from '../../auth/open.ts';
import { noteRateLimited } from '../../auth/refused.ts';
import type { Operation } from '../../operations/define.ts';
import { success } from '../envelope.ts';
import type { Handler, Handlers, Prefix } from '../route.ts';
import type { Services } from '../services.ts';
import { signInOperations } from './sign-in.operations.ts';

export function signInHandlers(services: Services): Handlers<typeof signInOperations> {
  const { auth } = services;
  const warn = warnOnce(services);
  /** For operations that take a secret: every attempt is counted for its address. */
  const limited =
    <O extends Operation & { readonly name: AttemptKind }>({ name }: O, handler: Handler<O>): Handler<O> =>
    async (call) => {
      const { request } = call;
      await auth.attempts.guard(name, { address: request.ip }).catch(async (error: unknown) => {
        if (request.headers['x-forwarded-for'] !== undefined) warn();
        if (name === 'login')
          await noteRateLimited(auth.refusals, call.params as Prefix, { address: request.ip }, error);
        throw error;
      });
      return handler(call);
    };
  return {
    anonymousToken: limited(signInOperations.anonymousToken, async ({ params, query }) =>
      success({ results: await auth.anonymousToken(params, query) }),
    ),
    registerDevice: limited(signInOperations.registerDevice, async ({ caller, body }) => {
      await auth.registerDevice(caller, body);
      return success();
    }),
    authenticate: limited(signInOperations.authenticate, async ({ params, query, request }) => {
      const { location } = await auth.authenticate(params, params.provider as string, query);
      // Browsers hide the header of a redirect from scripts, so scripts ask for JSON and get a 200.
      const wantsJson = request.headers.accept?.includes('application/json') ?? false;
      return { status: wantsJson ? 200 : 302, body: success(), headers: { location } };
    }),
    endProviderSession: async ({ caller, params, query }) =>
      success({ results: await auth.endSessionAddress(caller, params.provider as string, query) }),
    login: limited(signInOperations.login, async ({ params, token, body, request }) =>
      loggedIn(await auth.login(params, params.provider as string, token, body, { address: request.ip })),
    ),
    // Counts its attempts itself, also for the account.
    localLogin: async ({ params, token, body, request }) =>
      loggedIn(await auth.localLogin(params, token, body, { address: request.ip })),
    refresh: limited(signInOperations.refresh, async ({ caller }) => loggedIn(await auth.refresh(caller))),
    logout: async ({ caller, request }) => {
      await auth.logout(caller, { address: request.ip });
      return success();
    },
  };
}

/** Behind a proxy that is not configured, all clients seem to have one address. */
function warnOnce({ settings, log }: Services): () => void {
  let isDue = !settings.trustProxy;
  return () => {
    if (isDue) {
      log.warn(
        'Sign-in attempts from a proxy are being refused as one client. Set trustProxy so that its clients are counted one by one.',
      );
    }
    isDue = false;
  };
}

/** Under both spellings: the interface names it `authInfo`, its sample `authInfor`. */
function loggedIn(authInfo: AuthInfo): string {
  return success({ authInfo, authInfor: authInfo });
}
