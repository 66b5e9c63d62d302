/**
 * Caches the sessions of tokens and cookies: the usual call costs one look-up in a Map. After `sessionCacheMs` an entry
 * is read again, so that a logout or a disabled account on another process is noticed in time.
 */
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';

export interface CachedSession {
  /** The id of the session for `forgetSession`; several hashes may share one. */
  readonly sessionId: string;
  /** Milliseconds; the latest that was read or is known here. */
  lastUsed: number;
  /** The last use that was stored. */
  notedAt: number;
}

export interface SessionCache<Session extends CachedSession> {
  /** Without a database read; null when one is needed, as in `get`. */
  cached(hash: string): Session | null;
  /** Concurrent calls share one read. Null: there is no such session. */
  get(hash: string): Promise<Session | null>;
  /**
   * Makes the next call read from the database, like `forgetSession` and `forgetAll`. The result of a read under way is
   * not kept.
   */
  forget(hash: string): void;
  forgetSession(id: string): void;
  forgetAll(condition?: (session: Session) => boolean): void;
}

export interface SessionCacheOptions<Session> {
  readonly settings: Pick<Settings, 'sessionCacheMs'>;
  readonly environment: Pick<Environment, 'now'>;
  readonly entriesMax: number;
  /** Null for a session that has ended or never existed. */
  read(hash: string): Promise<Session | null>;
}

interface Entry<Session> {
  readonly session: Session;
  freshUntil: number;
}

export function openSessionCache<Session extends CachedSession>(
  options: SessionCacheOptions<Session>,
): SessionCache<Session> {
  const { settings, environment, entriesMax } = options;
  /** In the order in which they were read. A forgotten entry stays, because its last use may not be stored yet. */
  const entries = new Map<string, Entry<Session>>();
  const loading = new Map<string, Promise<Session | null>>();
  /** Hashes of the entries, by session. */
  const ofSession = new Map<string, Set<string>>();

  async function read(hash: string): Promise<Entry<Session> | null> {
    // A result is as old as its request, however long the answer takes.
    const freshUntil = environment.now() + settings.sessionCacheMs;
    const session = await options.read(hash);
    if (session === null) return null;
    const before = entries.get(hash)?.session;
    session.lastUsed = Math.max(session.lastUsed, before?.lastUsed ?? 0);
    session.notedAt = Math.max(session.notedAt, before?.notedAt ?? 0);
    return { session, freshUntil };
  }

  function keep(hash: string, entry: Entry<Session>): void {
    drop(hash);
    entries.set(hash, entry);
    ofSession.getOrInsertComputed(entry.session.sessionId, () => new Set()).add(hash);
    if (entries.size > entriesMax) for (const oldest of entries.keys().take(1)) drop(oldest);
  }

  function drop(hash: string): void {
    const entry = entries.get(hash);
    if (entry === undefined) return;
    entries.delete(hash);
    const hashes = ofSession.get(entry.session.sessionId);
    hashes?.delete(hash);
    if (hashes?.size === 0) ofSession.delete(entry.session.sessionId);
  }

  function load(hash: string): Promise<Session | null> {
    const waiting = loading.get(hash);
    if (waiting !== undefined) return waiting;
    const reading = read(hash).then(
      (entry) => {
        if (loading.get(hash) === reading) {
          loading.delete(hash);
          if (entry === null) drop(hash);
          else keep(hash, entry);
        }
        return entry?.session ?? null;
      },
      (error: unknown) => {
        if (loading.get(hash) === reading) loading.delete(hash);
        throw error;
      },
    );
    loading.set(hash, reading);
    return reading;
  }

  function cached(hash: string): Session | null {
    const entry = entries.get(hash);
    return entry !== undefined && environment.now() < entry.freshUntil ? entry.session : null;
  }

  function forgetEntry(hash: string): void {
    const entry = entries.get(hash);
    if (entry !== undefined) entry.freshUntil = 0;
  }

  return {
    cached,
    get: async (hash) => cached(hash) ?? load(hash),
    forget(hash) {
      forgetEntry(hash);
      loading.delete(hash);
    },
    forgetSession(id) {
      for (const hash of ofSession.get(id) ?? []) forgetEntry(hash);
      loading.clear();
    },
    forgetAll(condition = () => true) {
      for (const entry of entries.values()) if (condition(entry.session)) entry.freshUntil = 0;
      loading.clear();
    },
  };
}
