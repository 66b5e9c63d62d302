/** The proof's clients reach the service through the faults proxy, which is told the fault of each batch and new token. */
import { type Client, createClient } from '../../../packages/client/src/client.ts';
import { SignInRequired } from '../../../packages/client/src/errors.ts';
import { createOutbox, type Outbox } from '../../../packages/client/src/outbox/outbox.ts';
import type { OutboxStore } from '../../../packages/client/src/outbox/store.ts';
import type { TextStorage } from '../../../packages/client/src/storage.ts';
import { createSession, type UserSession } from '../../../packages/client/src/user-session.ts';
import type { Writer } from './lane.ts';

export interface Reach {
  /** Of the proxy. */
  readonly url: string;
  /** `/api/{companyId}/{appId}/{appVersion}` */
  readonly prefix: string;
  readonly appKey: string;
  /** The writers, all with one password. */
  readonly accounts: readonly string[];
  readonly password: string;
  /** The age from which a token is replaced, in milliseconds. */
  readonly refreshAfterMs: number;
}

/** What a tab is given. */
export interface TabWork {
  readonly reach: Reach;
  readonly database: string;
  readonly lane: string;
  readonly account: string;
  readonly from: number;
  readonly batches: number;
  readonly seed: number;
}

/** Shorter than the proxy's stalls. */
const timeoutMs = 2_000;
const pauseMs = 5;

/** The proxy counts forwarded requests by these numbers. */
export const counted: Readonly<Record<string, number>> = { '/auth/refresh': 1, '/auth/login': 2 };

/** A user of the device, who signs in again whenever the session has ended. */
export interface Person {
  readonly session: UserSession;
  /** Resolves when the user is signed in; the token is replaced when it is old. */
  signedIn(): Promise<void>;
  /** As in `Writer`. */
  endSessions(): Promise<void>;
}

function placeOf({ url, prefix }: Reach, faultOf: () => string) {
  const [, , companyId, appId = '', appVersion = ''] = prefix.split('/');
  const fetchOf: typeof fetch = (input, init) => {
    const path = String(input).slice(`${url}${prefix}`.length);
    const headers: Record<string, string> = { ...(init?.headers as Record<string, string>) };
    headers['x-fault'] = path === '/data/batch' || path === '/auth/refresh' ? faultOf() : 'none';
    if (counted[path] !== undefined) headers['x-attempt'] = String(counted[path]);
    return fetch(input, { ...init, headers });
  };
  return { url, companyId: Number(companyId), appId, appVersion, timeoutMs, fetch: fetchOf };
}

/** @param faultOf called for each token that is replaced */
export function openPerson(reach: Reach, account: string, storage: TextStorage, faultOf: () => string): Person {
  const { url, prefix, appKey, password, refreshAfterMs } = reach;
  const session = createSession({ ...placeOf(reach, faultOf), appKey, storage, refreshAfterMs });
  let signingIn: Promise<unknown> | undefined;
  /** Null if the session has ended. */
  async function token(): Promise<string | null> {
    try {
      return await session.token();
    } catch (error) {
      if (error instanceof SignInRequired) return null;
      throw error;
    }
  }
  return {
    session,
    async signedIn() {
      if ((await token()) !== null) return;
      signingIn ??= session.signInWithPassword(account, password).finally(() => {
        signingIn = undefined;
      });
      await signingIn;
    },
    async endSessions() {
      const present = await token();
      if (present === null) return;
      const headers = { 'service-token': present, 'x-fault': 'none' };
      const { status } = await fetch(`${url}${prefix}/auth/logout/everywhere`, { method: 'POST', headers });
      // 401: the session has ended meanwhile.
      if (status !== 200 && status !== 401) throw new Error(`Expected 200 or 401, got ${status}.`);
    },
  };
}

/** @param faultOf called for each batch that is sent */
export function openOutbox(reach: Reach, person: Person, store: OutboxStore, faultOf: () => string): Writer {
  const { session, signedIn, endSessions } = person;
  const outbox: Outbox = createOutbox({ session, store, pauseMs });
  const client: Client<Record<never, never>> = createClient({
    ...placeOf(reach, faultOf),
    ...{ session, commit: outbox.connect, attemptsMax: 1 },
  });
  return { outbox, commit: client.commit, signedIn, endSessions };
}
