/** The session of a user: signing in and out, the token that requests get, and its refresh; the same in all tabs. */
import { RowhouseError, SignInRequired } from './errors.ts';
import type { Session } from './session.ts';
import { type AuthInfo, type Device, type SignInRequest, signInSteps } from './sign-in.ts';
import { keysOf, memoryStorage, readJson, type TextStorage } from './storage.ts';
import { createTransport, type TransportOptions } from './transport.ts';
import { inTurn } from './turns.ts';

/** Where the application is, and where sign-ins are kept. */
export interface SessionOptions extends TransportOptions {
  /** Of the application, for the anonymous token. */
  readonly appKey: string;
  /** `localStorage` unless given, and the program's memory where there is none. */
  readonly storage?: TextStorage | undefined;
  readonly device?: Device | undefined;
  /** Makes the name of the device; 32 random hexadecimal digits unless given. */
  readonly newId?: (() => string) | undefined;
  /** From which age on a token is replaced by a new one, in milliseconds: a day unless given. */
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

/** Shows an address of the provider, and resolves to the address to which the provider sent the user. */
export type Visit = (address: string) => Promise<string>;

export interface SignOut {
  /** Ends the user's sessions on all devices. */
  readonly everywhere?: boolean | undefined;
  /** Also asks for the address that ends the session at the provider, which then sends the browser to `returnTo`. */
  readonly provider?: (SignInRequest & { readonly returnTo?: string | undefined }) | undefined;
}

export interface SignedOut {
  /** Whether the service has ended the session. Where it could not be reached, the session ends there by itself. */
  readonly isEnded: boolean;
  /** Where the browser ends the session at the provider; null if there is none, or it was not asked for. */
  readonly providerAddress: string | null;
}

export interface UserSession extends Session {
  /** Who is signed in, or was until the token ended; null after a sign-out. */
  user(): Promise<User | null>;
  /** User and token together; null if nobody is signed in, and a null token if the user must sign in again. */
  current(): Promise<{ readonly userId: string; readonly token: string | null } | null>;
  /** The whole sign-in where the answer comes back to this program: a pop-up, a deep link, a loopback address. @throws RowhouseError */
  signIn(request: SignInRequest, visit: Visit): Promise<User>;
  /** The first half: the provider's address, to which the page goes. @throws RowhouseError */
  begin(request: SignInRequest): Promise<string>;
  /** The second half, with the address that the provider sent the user to. @throws SignInRefused, or another RowhouseError */
  finish(returned: string | URL): Promise<User>;
  /** Whether the page that has this `state` in its address is to finish the sign-in itself; null if none is under way. */
  belongsTo(state: string): Promise<'here' | 'elsewhere' | null>;
  /** With an account of the service, where the application allows it. @throws SignInRefused, or another RowhouseError */
  signInWithPassword(username: string, password: string): Promise<User>;
  /** Goes on as another user who is signed in on this device. @throws SignInRequired */
  switchTo(userId: string): Promise<User>;
  /** Forgets the user here, whatever the service answers. What waits in an outbox stays, for that user. */
  signOut(options?: SignOut): Promise<SignedOut>;
  /** Calls the listener when somebody signed in or out, in this tab or another one. @returns what ends the calls */
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Signed {
  readonly user: User;
  /** Null once the service refused it. */
  readonly token: string | null;
  /** When it was given, in milliseconds of this machine's clock. */
  readonly since: number;
}

/** Only browsers tell what other tabs have written. */
const page = globalThis as Partial<Record<'addEventListener' | 'removeEventListener', ListensTo>>;
type ListensTo = (event: 'storage', listener: (event: { readonly key: string | null }) => void) => void;

const dayMs = 86_400_000;

export function createSession(options: SessionOptions): UserSession {
  const { storage = usualStorage(), refreshAfterMs = dayMs } = options;
  const transport = createTransport(options, () => session);
  const keys = keysOf(transport.prefix);
  const steps = signInSteps(transport, { ...options, storage, keys });
  const currentKey = `${keys}.current`;
  const keyOf = (userId: string) => `${keys}.user.${userId}`;
  const listeners = new Set<() => void>();
  // Comes when this process can read what another tab has written; a message may come before.
  const heard = ({ key }: { readonly key: string | null }) => {
    if (key === null || key.startsWith(keys)) changed();
  };
  page.addEventListener?.('storage', heard);
  /** What the storage has, until another tab says that it changed. */
  let known: Promise<Signed | null> | undefined;
  let refreshing: Promise<string> | undefined;

  function tell(): void {
    for (const listener of [...listeners]) listener();
  }

  function changed(): void {
    known = undefined;
    tell();
  }

  async function readStored(): Promise<Signed | null> {
    const userId = await storage.getItem(currentKey);
    return userId === null ? null : await readJson<Signed>(storage, keyOf(userId));
  }

  function signed(): Promise<Signed | null> {
    known ??= readStored().catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  }

  async function keep(info: AuthInfo): Promise<Signed> {
    const { account, fistName: firstName, lastName } = info.userInfo;
    const user = { userId: String(info.userId), account, firstName, lastName, groupsAndRoles: info.groupsAndRoles };
    const made = { user, token: info.userTokens, since: Date.now() };
    await storage.setItem(keyOf(user.userId), JSON.stringify(made));
    await storage.setItem(currentKey, user.userId);
    changed();
    return made;
  }

  const enter = async (info: Promise<AuthInfo>): Promise<User> => (await keep(await info)).user;

  async function token(): Promise<string> {
    const present = await signed();
    if (present?.token == null) throw signInRequired();
    if (Date.now() - present.since < refreshAfterMs) return present.token;
    try {
      return await refresh();
    } catch (error) {
      // Without an answer the present token still serves.
      if (!(error instanceof RowhouseError) || error instanceof SignInRequired) throw error;
      return present.token;
    }
  }

  function refresh(): Promise<string> {
    refreshing ??= refreshOnce().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshOnce(): Promise<string> {
    const before = await signed();
    return await inTurn(`${keys}.refresh`, async () => {
      const present = await readStored();
      if (present?.token == null) throw signInRequired();
      // Another tab had its turn before.
      if (present.token !== before?.token) return present.token;
      try {
        // The old token works for ten more seconds, so the request may be repeated.
        const sent = { token: present.token, isRepeatable: true };
        const { authInfo } = (await transport.send('refresh', sent)).answer;
        return (await keep(authInfo)).token as string;
      } catch (error) {
        if (error instanceof SignInRequired) await refused(present.token);
        throw error;
      }
    });
  }

  /** Notes that the service takes the token no more, unless another tab has a newer one. */
  async function refused(token: string): Promise<string | null> {
    const present = await readStored();
    if (present === null) return null;
    if (present.token !== token) {
      known = undefined;
      return present.token;
    }
    await storage.setItem(keyOf(present.user.userId), JSON.stringify({ ...present, token: null }));
    changed();
    return null;
  }

  async function signOut({ everywhere = false, provider }: SignOut = {}): Promise<SignedOut> {
    const present = await readStored();
    if (present === null) return { isEnded: true, providerAddress: null };
    const { token } = present;
    let [isEnded, providerAddress]: [boolean, string | null] = [token === null, null];
    try {
      if (token !== null && provider !== undefined) providerAddress = await providerEnd(token, provider);
      if (token !== null)
        await transport.send(everywhere ? 'logoutEverywhere' : 'logout', { token, isRepeatable: true });
      isEnded = true;
    } catch (error) {
      if (!(error instanceof RowhouseError)) throw error;
      isEnded = error instanceof SignInRequired;
    } finally {
      await storage.removeItem(keyOf(present.user.userId));
      await storage.removeItem(currentKey);
      changed();
    }
    return { isEnded, providerAddress };
  }

  async function providerEnd(
    token: string,
    { clientId, provider = 'idp', returnTo }: NonNullable<SignOut['provider']>,
  ) {
    const query = { clientId, ...(returnTo === undefined ? {} : { postLogoutRedirectUri: returnTo }) };
    return (await transport.send('endProviderSession', { params: { provider }, query, token })).answer.results;
  }

  async function switchTo(userId: string): Promise<User> {
    const other = await readJson<Signed>(storage, keyOf(userId));
    if (other === null) throw signInRequired();
    await storage.setItem(currentKey, userId);
    changed();
    return other.user;
  }

  const session: UserSession = {
    token,
    refresh,
    refused,
    user: async () => (await signed())?.user ?? null,
    async current() {
      const present = await signed();
      return present === null ? null : { userId: present.user.userId, token: present.token };
    },
    signIn: async (request, visit) => enter(steps.finish(await visit(await steps.begin(request, true)))),
    begin: (request) => steps.begin(request, false),
    finish: (returned) => enter(steps.finish(returned)),
    belongsTo: steps.belongsTo,
    signInWithPassword: (username, password) => enter(steps.withPassword(username, password)),
    switchTo,
    signOut,
    onChange(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    close: () => page.removeEventListener?.('storage', heard),
  };
  return session;
}

function usualStorage(): TextStorage {
  try {
    // Node has a `localStorage` that keeps nothing.
    return 'document' in globalThis ? localStorage : memoryStorage();
  } catch {
    // The browser keeps nothing for this page.
    return memoryStorage();
  }
}

function signInRequired(): SignInRequired {
  return new SignInRequired({ code: null, status: null, message: 'Nobody is signed in.' });
}
