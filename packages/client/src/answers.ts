/**
 * Caches the latest answers for an app's components: each is read once for all components, stored for offline use, and
 * updated by changes.
 */
import type { Change, Changed, Changes } from './changes.ts';
import { RowhouseError } from './errors.ts';
import type { Outbox } from './outbox/outbox.ts';
import { applied, type Reading } from './reading.ts';
import { keysOf, readJson, type TextStorage } from './storage.ts';
import type { Transport } from './transport.ts';
import type { UserSession } from './user-session.ts';

/** The state of a reading. The object stays the same until something changes. */
export interface Answer<Data> {
  /** The last answer, including this client's changes since then; undefined until there is one. */
  readonly data: Data | undefined;
  /** When the service gave it, in milliseconds of this machine's clock. */
  readonly readAt: number | null;
  /** Why the last attempt to read failed; null after a success. */
  readonly error: RowhouseError | null;
  readonly isReading: boolean;
}

export interface AnswersOptions {
  /** Who reads: each user has separate answers, which a sign-out removes. */
  readonly session: Pick<UserSession, 'user' | 'current' | 'onChange'>;
  /** Where answers are stored between starts of the app; by default they are not stored. */
  readonly storage?: TextStorage | undefined;
  /** How many answers are kept: 50 by default. The oldest are removed first. */
  readonly keptMax?: number | undefined;
  /** Answers include the writes that wait in it as if they were done. */
  readonly outbox?: Pick<Outbox, 'waiting' | 'onChange'> | undefined;
}

export interface Answers {
  readonly session: AnswersOptions['session'];
  current<Data>(reading: Reading<Data>): Answer<Data>;
  /**
   * Reads now and whenever the answer may have changed, until the returned function is called; calls the listener for
   * each change.
   */
  watch(reading: Reading<unknown>, listener: () => void): () => void;
  /** Reads the watched readings again: all of them, or those that depend on the tables. */
  refresh(tables?: readonly string[]): void;
  /** Ends everything that is under way. */
  close(): void;
}

interface Watched {
  readonly reading: Reading<unknown>;
  readonly listeners: Set<() => void>;
  /** The service's answer, without writes that wait in the outbox; undefined until it is known. */
  said: unknown;
  answer: Answer<unknown>;
  /** Counts changes of what `data` is made from. */
  version: number;
  running: AbortController | null;
  /** Changes during a read under way, which its answer may lack. */
  since: Change[];
  /** Whether the answer under way may be outdated. */
  isOld: boolean;
}

interface Kept {
  readonly data: unknown;
  readonly readAt: number;
}

/** Events of a browser; other platforms have none. */
interface Page {
  addEventListener?(name: string, heard: () => void): void;
  removeEventListener?(name: string, heard: () => void): void;
}

const nothing: Answer<never> = { data: undefined, readAt: null, error: null, isReading: true };

export function createAnswers(
  { transport, changes }: { readonly transport: Pick<Transport, 'prefix'>; readonly changes: Pick<Changes, 'listen'> },
  options: AnswersOptions,
): Answers {
  const { session, storage, keptMax = 50, outbox } = options;
  const all = new Map<string, Watched>();
  let owner: Promise<string | null> = ownerNow();
  /** The last known owner; undefined before the first. */
  let ownerId: string | null | undefined;
  let keeping: Promise<unknown> = Promise.resolve();

  async function ownerNow(): Promise<string | null> {
    // If the stored sign-in cannot be read, the user stays the same.
    const id = await session.user().then(
      (user) => user?.userId ?? null,
      () => ownerId ?? null,
    );
    const before = ownerId;
    ownerId = id;
    if (before !== undefined && before !== id) changeOwner(before, id);
    else for (const watched of [...all.values()]) if (watched.answer.error !== null) again(watched);
    return id;
  }

  const keyOf = (userId: string) => `${keysOf(transport.prefix)}.answers.${userId}`;

  /** No user sees what another user has read. */
  function changeOwner(before: string | null, after: string | null): void {
    for (const watched of all.values()) {
      watched.running?.abort();
      watched.running = null;
      watched.said = undefined;
      watched.version++;
      set(watched, nothing);
      if (watched.listeners.size > 0) void start(watched);
    }
    if (before !== null && after === null) inOrder(async () => storage?.removeItem(keyOf(before)));
  }

  function inOrder(work: () => Promise<unknown>): void {
    // If the storage is full or forbidden, answers are not stored, and the app continues.
    keeping = keeping.then(work).catch(() => {});
  }

  const keptOf = async (userId: string) =>
    (storage && (await readJson<Record<string, Kept>>(storage, keyOf(userId)))) || {};

  /** Empty if the outbox cannot be read: answers of the service are still shown, and calls of the outbox report the error. */
  const waitingNow = async () => (await outbox?.waiting().catch(() => [])) ?? [];

  /** Stores the service's answer, including changes that are known to be done. */
  function keep({ reading: { key, isJson }, said: data }: Watched, readAt: number | null): void {
    const userId = ownerId;
    if (storage === undefined || userId == null || !isJson || readAt === null) return;
    inOrder(async () => {
      const { [key]: _, ...others } = await keptOf(userId);
      const entries = Object.entries({ ...others, [key]: { data, readAt } }).slice(-keptMax);
      await storage.setItem(keyOf(userId), JSON.stringify(Object.fromEntries(entries)));
    });
  }

  function set(watched: Watched, part: Partial<Answer<unknown>>): void {
    watched.answer = { ...watched.answer, ...part };
    for (const listener of [...watched.listeners]) listener();
  }

  /** Shows the stored answer, then reads from the service. */
  async function start(watched: Watched): Promise<void> {
    const { reading } = watched;
    const running = new AbortController();
    const isOver = () => watched.running !== running;
    /** Shows the service's answer, with the waiting writes of the outbox. */
    async function show(data: unknown, part: () => Partial<Answer<unknown>>): Promise<void> {
      said(watched, data);
      for (;;) {
        const { version } = watched;
        const waiting = await waitingNow();
        if (isOver()) return;
        if (version === watched.version)
          return set(watched, { data: applyAll(reading, watched.said, waiting), ...part() });
      }
    }
    watched.running = running;
    watched.isOld = false;
    watched.since = [];
    set(watched, { isReading: true });
    try {
      const userId = await owner;
      if (watched.answer.data === undefined && userId !== null && reading.isJson) {
        const kept = (await keptOf(userId))[reading.key];
        if (isOver()) return;
        if (kept) await show(kept.data, () => ({ readAt: kept.readAt }));
      }
      const answer = await reading.read(running.signal);
      if (isOver()) return;
      const readAt = Date.now();
      await show(applyAll(reading, answer, watched.since), () => ({ readAt, error: null, isReading: watched.isOld }));
      if (isOver()) return;
      keep(watched, readAt);
    } catch (error) {
      if (isOver()) return;
      const known = error instanceof RowhouseError ? error : unexpected(error);
      set(watched, { error: known, isReading: watched.isOld });
    }
    watched.running = null;
    if (watched.isOld && watched.listeners.size > 0) void start(watched);
  }

  /** Reads again; if a read is under way, after it has ended. */
  function again(watched: Watched): void {
    if (watched.listeners.size === 0) all.delete(watched.reading.key);
    else if (watched.running !== null) watched.isOld = true;
    else void start(watched);
  }

  function said(watched: Watched, data: unknown): void {
    watched.said = data;
    watched.version++;
  }

  /**
   * The only function that receives changes. One that waits in an outbox is only shown; any other also causes a read.
   */
  function changed({ tables, changes: known }: Changed): void {
    const isWaiting = known.length > 0 && known.every(({ isPending }) => isPending);
    for (const watched of [...all.values()]) {
      const { reading, running } = watched;
      if (!dependsOn(watched, tables)) continue;
      if (!isWaiting) {
        if (running !== null) watched.since.push(...known);
        if (watched.said !== undefined && known.length > 0) {
          said(watched, applyAll(reading, watched.said, known));
          keep(watched, watched.answer.readAt);
        }
      }
      const { data } = watched.answer;
      if (data !== undefined && known.length > 0) set(watched, { data: applyAll(reading, data, known) });
      if (!isWaiting) again(watched);
    }
  }

  /** How many changes of the outbox have been requested to be shown. */
  let asked = 0;

  /**
   * Shows what waits in the outbox now. One read of the outbox serves all readings, and all changes that arrive
   * meanwhile.
   */
  async function overlay(): Promise<void> {
    if (asked++ > 0) return;
    try {
      for (let seen = 0; seen < asked; ) {
        seen = asked;
        const waiting = await waitingNow();
        for (const watched of seen < asked ? [] : all.values()) {
          if (watched.said === undefined) continue;
          watched.version++;
          set(watched, { data: applyAll(watched.reading, watched.said, waiting) });
        }
      }
    } finally {
      asked = 0;
    }
  }

  function refresh(tables?: readonly string[]): void {
    for (const watched of [...all.values()]) if (!tables || dependsOn(watched, tables)) again(watched);
  }

  const page = globalThis as Page;
  const refreshAll = () => refresh();
  const events = ['online', 'focus'];
  for (const name of events) page.addEventListener?.(name, refreshAll);
  const ends = [
    changes.listen(changed),
    session.onChange(() => {
      owner = ownerNow();
    }),
    outbox?.onChange(() => void overlay()) ?? (() => {}),
  ];

  return {
    session,
    current: (reading) => (all.get(reading.key)?.answer ?? nothing) as Answer<never>,
    watch(reading, listener) {
      const known = all.get(reading.key);
      const watched = known ?? {
        ...{ reading, listeners: new Set(), said: undefined, answer: nothing, version: 0 },
        ...{ running: null, since: [], isOld: false },
      };
      all.set(reading.key, watched);
      const own = () => listener();
      watched.listeners.add(own);
      if (watched.running === null) void start(watched);
      return () => {
        watched.listeners.delete(own);
        // In strict mode, React unmounts and mounts again at once.
        queueMicrotask(() => {
          if (watched.listeners.size > 0) return;
          watched.running?.abort();
          watched.running = null;
          if (all.size > keptMax) all.delete(reading.key);
        });
      };
    },
    refresh,
    close() {
      for (const name of events) page.removeEventListener?.(name, refreshAll);
      for (const end of ends) end();
      for (const { running } of all.values()) running?.abort();
      all.clear();
    },
  };
}

function dependsOn({ reading }: Watched, tables: readonly string[]): boolean {
  return reading.tables.some((table) => tables.includes(table));
}

function applyAll(reading: Reading<unknown>, data: unknown, changes: readonly Change[]): unknown {
  return changes.reduce((rows, change) => applied(reading, rows, change), data);
}

function unexpected(cause: unknown): RowhouseError {
  return new RowhouseError({ message: String(cause), cause });
}
