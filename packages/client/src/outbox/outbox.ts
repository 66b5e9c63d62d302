/** An outbox: takes batches while nothing can be sent, and sends each exactly once, in order, as the user who wrote it. */
import type { Change } from '../changes.ts';
import { changesOf, type Parts } from '../client.ts';
import { Invalid, SignInRequired } from '../errors.ts';
import { createListeners, notify } from '../listeners.ts';
import { plain } from '../transport.ts';
import { type Bulletin, openBulletin } from '../turns.ts';
import type { UserSession } from '../user-session.ts';
import type { AnyRecord, Commit, Stored, Write } from '../writes.ts';
import { drain, msUntil, type Next, ServiceTime } from './drain.ts';
import { type Entry, pendingLock, withPending } from './entry.ts';
import type { OutboxStore } from './store.ts';

export interface OutboxOptions {
  readonly session: Pick<UserSession, 'token' | 'current' | 'refused' | 'onChange'>;
  readonly store: OutboxStore;
  /**
   * Called for each entry that was handed back, in the tab that sent it; the app resolves it with `retry` or `drop`,
   * now or later.
   */
  readonly onHeld?: ((entry: Entry) => void) | undefined;
  /** Called when an entry was written, in the tab that sent it. */
  readonly onSettled?: ((entry: Entry, results: readonly Stored[]) => void) | undefined;
  /** Called for faults outside the service: a full disk, or a store that was deleted. Sending is tried again. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /**
   * The pause after a failure, in milliseconds: 1 000 by default. It doubles up to a minute with each further failure.
   */
  readonly pauseMs?: number | undefined;
}

export interface Outbox {
  /** To be passed to `createClient` as `commit`. */
  readonly connect: (parts: Parts) => Commit;
  /** The waiting entries of the signed-in user and application version, in order. */
  entries(): Promise<Entry[]>;
  /** The waiting writes as changes of records, which `createAnswers` adds to the service's answers. */
  waiting(): Promise<Change[]>;
  /** Records as they will be once all waiting entries have been sent. They are not filtered or sorted again. */
  pending<Row extends AnyRecord>(table: string, records: readonly Row[]): Promise<Row[]>;
  /** Sends an entry that was handed back again, under its transaction id. @param writes replace its present writes */
  retry(transactionId: string, writes?: readonly Write[]): Promise<void>;
  /** Removes an entry that was handed back. Entries based on it are handed back, too. */
  drop(transactionId: string): Promise<void>;
  /**
   * Sends waiting entries now, unless the service has asked for a pause. Resolves when all that can be sent now have
   * been answered.
   */
  flush(): Promise<void>;
  /**
   * Calls the listener when an entry was added, removed or handed back, in this or another tab.
   * @returns a function that ends the calls
   */
  onChange(listener: () => void): () => void;
  /** Waits for the answer to a request under way, and sends nothing more. Entries stay in the store. */
  close(): Promise<void>;
}

/** Outside browsers there is no event for a restored network. */
const page = globalThis as Partial<Record<'addEventListener' | 'removeEventListener', ListensTo>>;
type ListensTo = (event: 'online', listener: () => void) => void;

const pauseMsMax = 60_000;

type News = { readonly kind: 'appended' } | { readonly kind: 'changed'; readonly tables: readonly string[] };

export function createOutbox(options: OutboxOptions): Outbox {
  const { session, store, onHeld, onSettled, onFault, pauseMs = 1_000 } = options;
  const service = new ServiceTime();
  const { tell, listen } = createListeners();
  const endings: (() => void)[] = [];
  let parts: Parts | undefined;
  let bulletin: Bulletin<News> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let draining: Promise<void> | undefined;
  let sending: Promise<Next> | undefined;
  let isWanted = false;
  let isClosed = false;
  let failures = 0;
  /** The service asked for a pause until then, in milliseconds of this machine's clock. */
  let silentUntil = 0;
  const rests = new Map<string, number>();

  function connected(): Parts {
    if (parts === undefined) throw new TypeError('The outbox has no client yet: pass `connect` to createClient.');
    return parts;
  }

  function connect(given: Parts): Commit {
    parts = given;
    if (store.sharedName !== null) {
      bulletin = openBulletin<News>(`rowhouse.outbox.${store.sharedName}`, (news) => {
        if (news.kind === 'changed') given.changes.invalidate(news.tables);
        else void flush();
        tell();
      });
    }
    endings.push(session.onChange(wake));
    page.addEventListener?.('online', wake);
    endings.push(() => page.removeEventListener?.('online', wake));
    wake();
    return commit;
  }

  const commit: Commit = async ({ transactionId, writes }) => {
    const who = await session.current();
    if (who === null) throw new SignInRequired({ message: 'Nobody is signed in.' });
    const { prefix } = connected().transport;
    const { userId } = who;
    await store.append({ transactionId, prefix, userId, writes: asJson(writes), tried: null, held: null });
    bulletin?.tell({ kind: 'appended' });
    tell();
    void flush();
    return { ok: true, results: pendingResults({ transactionId, writes }), isQueued: true };
  };

  function wake(): void {
    failures = 0;
    void flush();
  }

  /** One run at a time; calls during a run share another one after it. */
  function flush(): Promise<void> {
    isWanted = true;
    draining ??= turns().finally(() => {
      draining = undefined;
      // A call came after the loop of `turns` had ended.
      if (isWanted && !isClosed) return flush();
    });
    return draining;
  }

  /** Sends as long as calls request it, each time in this outbox's turn, and then sets the timer for the rest. */
  async function turns(): Promise<void> {
    clearTimeout(timer);
    let next: Next = 'event';
    while (isWanted && !isClosed) {
      isWanted = false;
      next = msUntil(silentUntil);
      if (next > 0) continue;
      try {
        next = await store.exclusive(() => {
          sending = isClosed ? Promise.resolve('event') : turn();
          return sending;
        });
        if (typeof next === 'number') silentUntil = Date.now() + next;
      } catch (error) {
        if (!isClosed) void notify(onFault, error);
        next = 'failure';
      }
    }
    if (next === 'event' || isClosed) return;
    const ms = next === 'failure' ? Math.min(pauseMs * 2 ** failures++, pauseMsMax) * (0.5 + Math.random() / 2) : next;
    timer = setTimeout(flush, ms);
    (timer as { unref?: () => void }).unref?.();
  }

  const turn = async (): Promise<Next> => {
    const tables = new Set<string>();
    const note = ({ writes }: Entry) => {
      for (const { table } of writes) tables.add(table);
      tell();
    };
    try {
      return await drain({
        ...{ transport: connected().transport, session, store, service, rests },
        onSettled(entry, results) {
          failures = 0;
          rests.delete(entry.transactionId);
          connected().changes.apply(changesOf(entry, results));
          void notify(() => onSettled?.(entry, results), undefined);
          note(entry);
        },
        onHeld(entry) {
          void notify(onHeld, entry);
          note(entry);
        },
      });
    } finally {
      // The store already has the results, so that listeners find them there.
      if (tables.size > 0) changed([...tables]);
    }
  };

  function changed(tables: readonly string[]): void {
    bulletin?.tell({ kind: 'changed', tables });
    tell();
  }

  async function entries(): Promise<Entry[]> {
    const who = await session.current();
    const { prefix } = connected().transport;
    return (await store.entries()).filter((entry) => entry.userId === who?.userId && entry.prefix === prefix);
  }

  /** @throws Invalid if none with this id was handed back */
  async function heldEntry(transactionId: string): Promise<Entry> {
    const entry = (await entries()).find((one) => one.transactionId === transactionId && one.held !== null);
    if (entry !== undefined) return entry;
    const message = `transactionId: no entry ${JSON.stringify(transactionId)} of this user was handed back.`;
    throw new Invalid({ message });
  }

  async function retry(transactionId: string, writes?: readonly Write[]): Promise<void> {
    const entry = await heldEntry(transactionId);
    await store.change({ put: [{ ...entry, writes: asJson(writes ?? entry.writes), tried: null, held: null }] });
    changed(tablesOf(entry));
    bulletin?.tell({ kind: 'appended' });
    wake();
  }

  async function drop(transactionId: string): Promise<void> {
    const entry = await heldEntry(transactionId);
    await store.change({ remove: [entry.sequence] });
    changed(tablesOf(entry));
    wake();
  }

  return {
    connect,
    entries,
    waiting: async () => (await entries()).flatMap((entry) => changesOf(entry, pendingResults(entry), true)),
    pending: async (table, records) => withPending(table, records, await entries()),
    retry,
    drop,
    flush,
    onChange: listen,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      for (const end of endings) end();
      // Does not wait for `draining`, which may itself wait for another tab.
      await sending?.catch(() => {});
      bulletin?.close();
      await store.close();
    },
  };
}

const tablesOf = ({ writes }: Pick<Entry, 'writes'>) => [...new Set(writes.map(({ table }) => table))];

/** The known state of waiting records: locks that later writes through the outbox may be based on. */
function pendingResults({ transactionId, writes }: Pick<Entry, 'transactionId' | 'writes'>): Stored[] {
  const serverUpdateTime = pendingLock(transactionId);
  return writes.map(({ values }) => ({ objectId: values.objectId as string, serverUpdateTime }));
}

/** The writes as the service will read them. @throws Invalid */
function asJson(writes: readonly Write[]): Write[] {
  return JSON.parse(JSON.stringify(writes, plain));
}
