/** The session of a user: signing in and out, the token for requests, and its refresh; shared by all tabs. */
import { RowhouseError, SignInRequired } from './errors.ts';
import { createListeners } from './listeners.ts';
import type { Session } from './session.ts';
import { type AuthInfo, type Device, type SignInRequest, signInSteps } from './sign-in.ts';
import { keysOf, memoryStorage, readJson, type TextStorage } from './storage.ts';
import { createTransport, type TransportOptions } from './transport.ts';
import { inTurn } from './turns.ts';

/** The address of the application, and the storage for sign-ins. */
export interface SessionOptions extends TransportOptions {
  /** The application's key, for the anonymous token. */
  readonly appKey: string;
  /** `localStorage` by default, or the program's memory if there is none. */
  readonly storage?: TextStorage | undefined;
  readonly device?: Device | undefined;
  /** Makes the identifier of the device; 32 random hexadecimal digits by default. */
  readonly newId?: (() => string) | undefined;
  /** The age from which a token is replaced, in milliseconds: a day by default. */
  readonly refreshAfterMs?: number | undefined;
}

/** Who is signed in. */
export interface User {
  readonly userId: string;
  readonly account: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly groupsAndRoles: AuthInfo['groupsAndRoles'];
}

/** Opens an address of the provider, and resolves to the address that the provider redirects to. */
export interface Visit {
  (address: string): Promise<string>;
  /** Called if the sign-in could not begin, so that there is no address to open. */
  cancel?(): void;
}

export interface SignOut {
  /** Ends the user's sessions on all devices. */
  readonly everywhere?: boolean | undefined;
  /** Also requests the address that ends the session at the provider, which then sends the browser to `returnTo`. */
  readonly provider?: (SignInRequest & { readonly returnTo?: string | undefined }) | undefined;
}

export interface SignedOut {
  /** Whether the service has ended the session. If the service could not be reached, the session expires there. */
  readonly isEnded: boolean;
  /** Where the browser ends the session at the provider; null if there is no such address, or it was not requested. */
  readonly providerAddress: string | null;
}

export interface UserSession extends Session {
  /** Who is signed in, or was until the token ended; null after a sign-out. */
  user(): Promise<User | null>;
  /** User and token together; null if nobody is signed in, and a null token if the user must sign in again. */
  current(): Promise<{ readonly userId: string; readonly token: string | null } | null>;
  /**
   * The whole sign-in, if the answer comes back to this program: by a pop-up, a deep link, or a loopback address.
   * @throws RowhouseError
   */
  signIn(request: SignInRequest, visit: Visit): Promise<User>;
  /** The first half: the provider's address, to which the page goes. @throws RowhouseError */
  begin(request: SignInRequest): Promise<string>;
  /** The second half, with the address that the provider sent the user to. @throws SignInRefused, or another RowhouseError */
  finish(returned: string | URL): Promise<User>;
  /** Whether the page that has this `state` in its address is to finish the sign-in itself. */
  finishesHere(state: string): Promise<boolean>;
  /**
   * Signs in with an account of the service, if the application allows it.
   * @throws SignInRefused, or another RowhouseError
   */
  signInWithPassword(username: string, password: string): Promise<User>;
  /** Switches to another user who is signed in on this device. @throws SignInRequired */
  switchTo(userId: string): Promise<User>;
  /**
   * Forgets the user here at once, then notifies the service, for at most about ten seconds. Entries in an outbox stay,
   * for that user.
   */
  signOut(options?: SignOut): Promise<SignedOut>;
  /**
   * Calls the listener when someone signs in or out, in this or another tab.
   * @returns a function that ends the calls
   */
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Signed {
  readonly user: User;
  /** Null once the service refused it. */
  readonly token: string | null;
  /** When it was issued, in milliseconds of this machine's clock. */
  readonly since: number;
}

/** Only browsers report what other tabs have written. */
const page = globalThis as Partial<Record<'addEventListener' | 'removeEventListener', ListensTo>>;
type ListensTo = (event: 'storage', listener: (event: { readonly key: string | null }) => void) => void;

const dayMs = 86_400_000;
/** After a failed refresh, the present token is used this long before another attempt. */
const refreshPauseMs = 60_000;
/**
 * The service accepts the old token for ten seconds after a refresh (`refreshGraceMs`), so every retry must begin well
 * before.
 */
const soon = { timeoutMs: 3_000, withinMs: 8_000, isRepeatable: true };

export function createSession(options: SessionOptions): UserSession {
  const { storage = usualStorage(), refreshAfterMs = dayMs } = options;
  const transport = createTransport(options, () => session);
  const keys = keysOf(transport.prefix);
  const steps = signInSteps(transport, { ...options, storage, keys });
  const currentKey = `${keys}.current`;
  const keyOf = (userId: string) => `${keys}.user.${userId}`;
  const { tell, listen } = createListeners();
  /** Users by the tokens read here: shows as whom a request was sent, whoever is signed in now. */
  const owners = new Map<string | null, string>();
  let refreshFrom = 0;

  // Fires when this process can read what another tab has written; a message may arrive earlier.
  const heard = ({ key }: { readonly key: string | null }) => {
    if (key === null || key.startsWith(keys)) tell();
  };
  page.addEventListener?.('storage', heard);

  /** Changes the stored sign-ins, one change at a time in all tabs; never waits for the service. */
  async function change<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = await inTurn(keys, work);
    tell();
    return result;
  }

  async function readUser(userId: string | null | undefined): Promise<Signed | null> {
    const found = await readJson<Signed>(storage, keyOf(`${userId}`));
    if (found) owners.set(found.token, found.user.userId);
    return found;
  }

  const signed = async () => readUser(await storage.getItem(currentKey));

  const store = async (signed: Signed) => storage.setItem(keyOf(signed.user.userId), JSON.stringify(signed));

  async function enter(answer: Promise<AuthInfo>): Promise<User> {
    const made = signedOf(await answer);
    const { user } = made;
    await change(async () => {
      await store(made);
      await storage.setItem(currentKey, user.userId);
    });
    return user;
  }

  async function token(): Promise<string> {
    const present = await signed();
    const token = tokenOf(present);
    // A time in the future was noted before the clock was set back.
    if (Math.abs(Date.now() - (present as Signed).since) < refreshAfterMs) return token;
    try {
      return await inTurn(refreshKey, async () => (Date.now() < refreshFrom ? token : renew(token)));
    } catch (error) {
      // Without an answer, the present token is still used.
      if (!(error instanceof RowhouseError) || error instanceof SignInRequired) throw error;
      return token;
    }
  }

  const refreshKey = `${keys}.refresh`;

  /** A new token for the same user; callers that wait meanwhile get the same one. @throws RowhouseError */
  async function renew(token: string): Promise<string> {
    const userId = owners.get(token);
    const present = tokenOf(await readUser(userId));
    // Another tab has already replaced it.
    if (present !== token) return present;
    try {
      const made = signedOf((await transport.send('refresh', { token, ...soon })).answer.authInfo);
      await change(async () => {
        const still = await readUser(userId);
        // A user who signed out meanwhile stays signed out; one who signed in again keeps the token of that sign-in.
        if (still && (still.token ?? token) === token) await store(made);
      });
    } catch (error) {
      if (error instanceof SignInRequired) await refused(token);
      else refreshFrom = Date.now() + refreshPauseMs;
      throw error;
    }
    return tokenOf(await readUser(userId));
  }

  /** Records that the service no longer accepts the token, unless its user has a newer one. */
  const refused = (token: string): Promise<string | null> =>
    change(async () => {
      const present = await readUser(owners.get(token));
      if (present?.token !== token) return present?.token ?? null;
      await store({ ...present, token: null });
      return null;
    });

  async function signOut({ everywhere, provider: asked }: SignOut = {}): Promise<SignedOut> {
    const present = await change(async () => {
      const found = await signed();
      if (found) await storage.removeItem(keyOf(found.user.userId));
      await storage.removeItem(currentKey);
      return found;
    });
    const token = present?.token;
    let isEnded = true;
    let providerAddress: string | null = null;
    try {
      if (asked && token) {
        const { clientId, provider = 'idp', returnTo } = asked;
        const query = { clientId, postLogoutRedirectUri: returnTo as string };
        const sent = { params: { provider }, query, token, ...soon };
        providerAddress = (await transport.send('endProviderSession', sent)).answer.results;
      }
      if (token) await transport.send(everywhere ? 'logoutEverywhere' : 'logout', { token, ...soon });
    } catch (error) {
      if (!(error instanceof RowhouseError)) throw error;
      isEnded = error instanceof SignInRequired;
    }
    return { isEnded, providerAddress };
  }

  const session: UserSession = {
    token,
    async refresh() {
      const token = tokenOf(await signed());
      return inTurn(refreshKey, () => renew(token));
    },
    refused,
    user: async () => (await signed())?.user ?? null,
    async current() {
      const present = await signed();
      return present && { userId: present.user.userId, token: present.token };
    },
    async signIn(request, visit) {
      const address = await steps.begin(request, true).catch((error) => {
        visit.cancel?.();
        throw error;
      });
      return enter(steps.finish(await visit(address)));
    },
    begin: (request) => steps.begin(request, false),
    finish: (returned) => enter(steps.finish(returned)),
    finishesHere: steps.finishesHere,
    signInWithPassword: (username, password) => enter(steps.withPassword(username, password)),
    switchTo: (userId) =>
      change(async () => {
        const other = await readUser(userId);
        if (!other) throw signInRequired();
        await storage.setItem(currentKey, userId);
        return other.user;
      }),
    signOut,
    onChange: listen,
    close: () => page.removeEventListener?.('storage', heard),
  };
  return session;
}

function usualStorage(): TextStorage {
  try {
    // Node has a `localStorage` that stores nothing.
    if ('document' in globalThis) return localStorage;
  } catch {
    // The browser stores nothing for this page.
  }
  return memoryStorage();
}

function signedOf({ userId, userInfo, groupsAndRoles, userTokens: token }: AuthInfo): Signed {
  const { account, fistName: firstName, lastName } = userInfo;
  return { user: { userId: String(userId), account, firstName, lastName, groupsAndRoles }, token, since: Date.now() };
}

/** @throws SignInRequired */
function tokenOf(signed: Signed | null): string {
  if (signed?.token == null) throw signInRequired();
  return signed.token;
}

function signInRequired(): SignInRequired {
  return new SignInRequired({ message: 'Nobody is signed in.' });
}
