/** Getting in (interface.md §4.8 and §4.9, decisions.md §3). */
import type { AuthInfo } from '../../auth/open.ts';
import * as wire from '../../wire/auth.ts';
import { success } from '../envelope.ts';
import type { Register } from '../route.ts';
import type { Services } from '../services.ts';

export function authRoutes(register: Register, { auth }: Services): void {
  register(wire.anonymousToken, async ({ params, query }) =>
    success({ results: await auth.anonymousToken(params, query) }),
  );
  register(wire.registerDevice, async ({ caller, body }) => {
    await auth.registerDevice(caller, body);
    return success();
  });
  register(wire.authenticate, async ({ params, query, request }) => {
    const { location } = await auth.authenticate(params, params.provider as string, query);
    // Browsers hide the header of a redirect from scripts, so that those ask for JSON and get a 200.
    const wantsJson = request.headers.accept?.includes('application/json') ?? false;
    return { status: wantsJson ? 200 : 302, body: success(), headers: { location } };
  });
  register(wire.login, async ({ params, token, body, request }) =>
    loggedIn(await auth.login(params, params.provider as string, token, body, { address: request.ip })),
  );
  register(wire.refresh, async ({ caller }) => loggedIn(await auth.refresh(caller)));
  register(wire.logout, async ({ caller, request }) => {
    await auth.logout(caller, { address: request.ip });
    return success();
  });
}

/** Under both spellings: the interface names it `authInfo`, its sample `authInfor`. */
function loggedIn(authInfo: AuthInfo): string {
  return success({ authInfo, authInfor: authInfo });
}
