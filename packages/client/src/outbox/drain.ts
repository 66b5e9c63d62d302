/** One run of sending what waits in an outbox, in order, as the signed-in user. */
import { Busy, NetworkError, RowhouseError, ServiceFault, SignInRequired } from '../errors.ts';
import type { Transport } from '../transport.ts';
import type { UserSession } from '../user-session.ts';
import { bodyOf, type Stored, sendBatch } from '../writes.ts';
import { type Blocked, type Entry, type Held, noneBlocked, recordKey, type Settled, withLocks } from './entry.ts';
import type { Change, OutboxStore } from './store.ts';

export interface DrainParts {
  readonly transport: Transport;
  readonly session: Pick<UserSession, 'token' | 'current' | 'refused'>;
  readonly store: OutboxStore;
  /** The service's time and its `historyDays`. */
  readonly service: ServiceTime;
  /** Until when entries wait because of `Retry-After`, by transaction id, in milliseconds of this machine's clock. */
  readonly rests: Map<string, number>;
  /** Called when the service has confirmed an entry, and the store has removed it. */
  readonly onSettled: (entry: Entry, results: readonly Stored[]) => void;
  /** Called when an entry was handed back, and the store has its reason. */
  readonly onHeld: (entry: Entry) => void;
}

/**
 * When to try again: at the next event, after a number of milliseconds, or after a pause that grows with each failure.
 */
export type Next = 'event' | 'failure' | number;

/** Ends the turn. */
class Stop extends Error {
  readonly next: Next;
  constructor(next: Next) {
    super('The turn has ended.');
    this.next = next;
  }
}

/** Sends what can be sent; if requests fail, the rest waits. @throws whatever the store throws */
export async function drain(parts: DrainParts): Promise<Next> {
  const { session } = parts;
  // Renews an old token. An error is ignored, because `current` decides whether anyone is signed in.
  await session.token().catch(() => {});
  const who = await session.current();
  if (who === null || who.token === null) return 'event';
  const turn = new Turn(parts, who.userId, who.token);
  try {
    return await turn.run();
  } catch (error) {
    if (error instanceof Stop) return error.next;
    throw error;
  } finally {
    await turn.write();
    if (turn.isRefused) await session.refused(who.token);
  }
}

class Turn {
  isRefused = false;
  readonly #parts: DrainParts;
  readonly #userId: string;
  readonly #blocked: Blocked = noneBlocked();
  /**
   * Sends as the user of this run, whoever signs in meanwhile, and only once, because the entry's age is checked before
   * each further attempt.
   */
  readonly #transport: Transport;
  /** Entries settled in this run. */
  readonly #settled = new Map<string, Settled>();
  #change = { put: [] as Entry[], remove: [] as number[], settled: [] as Settled[] };
  /** Callbacks to call once the change is stored. */
  #reports: (() => void)[] = [];
  #hasFailed = false;
  #isTimeFresh = false;

  constructor(parts: DrainParts, userId: string, token: string) {
    const { transport } = parts;
    this.#parts = parts;
    this.#userId = userId;
    this.#transport = {
      prefix: transport.prefix,
      send: (name, call) => transport.send(name, { ...call, token, withinMs: 0 }),
    };
  }

  async run(): Promise<Next> {
    let after = 0;
    for (;;) {
      const entries = await this.#parts.store.entries(after);
      const last = entries.at(-1);
      if (last === undefined) return this.#hasFailed ? 'failure' : 'event';
      after = last.sequence;
      for (const entry of entries) {
        if (entry.userId === this.#userId && entry.prefix === this.#transport.prefix) await this.#look(entry);
      }
    }
  }

  /** Stores the results that are not stored yet, and then reports them. */
  async write(): Promise<void> {
    const change: Change = this.#change;
    const reports = this.#reports;
    this.#change = { put: [], remove: [], settled: [] };
    this.#reports = [];
    if (Object.values(change).some((part) => part.length > 0)) await this.#parts.store.change(change);
    for (const report of reports) report();
  }

  async #look(entry: Entry): Promise<void> {
    if (entry.held !== null || this.#blocked.has(entry)) return this.#blocked.add(entry);
    if (msUntil(this.#parts.rests.get(entry.transactionId)) > 0) return this.#leave(entry);
    const ready = await this.#ready(entry);
    if (ready === null) return;
    // Stores earlier results and the attempt of this entry in one change. From here on its bytes never change.
    await this.write();
    try {
      await this.#send(ready);
    } catch (error) {
      this.#judge(ready, error);
    }
  }

  /** The entry with its final body; null if it was handed back. */
  async #ready(entry: Entry): Promise<Entry | null> {
    const { service } = this.#parts;
    if (entry.tried !== null) {
      if (!this.#isTimeFresh || !service.isKnown) await this.#ask();
      this.#isTimeFresh = true;
      if (service.mayKnow(entry.tried.at)) return entry;
      this.#hold(entry, { reason: 'expired', triedAt: entry.tried.at });
      return null;
    }
    if (!service.isKnown) await this.#ask();
    const settledOf = async (id: string) => this.#settled.get(id) ?? (await this.#parts.store.settled(id));
    const writes = await withLocks(entry.writes, settledOf);
    if (writes === null) {
      this.#hold(entry, { reason: 'base lost' });
      return null;
    }
    const { transactionId } = entry;
    const ready = { ...entry, writes, tried: { at: service.now, body: bodyOf({ transactionId, writes }) } };
    this.#change.put.push(ready);
    return ready;
  }

  async #ask(): Promise<void> {
    try {
      await this.#parts.service.ask(this.#transport);
    } catch (error) {
      throw this.#stop(error) ?? new Stop('failure');
    }
  }

  async #send(entry: Entry): Promise<void> {
    const body = entry.tried?.body as NonNullable<Entry['tried']>['body'];
    const transport: Transport = {
      prefix: entry.prefix,
      send: (name, call) => this.#transport.send(name, name === 'batch' ? { ...call, body } : call),
    };
    const outcome = await sendBatch(transport, entry);
    if (!outcome.ok) return this.#hold(entry, { reason: 'conflict', conflict: outcome.conflict });
    const results = outcome.results as readonly Stored[];
    const { sequence, transactionId, writes } = entry;
    const locks = Object.fromEntries(
      results.map(({ objectId, serverUpdateTime = null }, index) => {
        const { op, table } = writes[index] as Entry['writes'][number];
        return [recordKey(table, objectId), op === 'delete' ? null : serverUpdateTime];
      }),
    );
    const settled = { transactionId, locks, at: Date.now() };
    this.#settled.set(transactionId, settled);
    this.#change.settled.push(settled);
    this.#change.remove.push(sequence);
    this.#reports.push(() => this.#parts.onSettled(entry, results));
  }

  /** @throws Stop if the others cannot be sent either */
  #judge(entry: Entry, error: unknown): void {
    if (!(error instanceof RowhouseError)) throw error;
    const { code, status, message, field } = error;
    const isTooLarge = code === null && status === 413;
    if (isOfEntry(error)) {
      // It may or may not have been written. Other entries continue; this one is sent again in a later run.
      if (error.retryAfterMs) this.#parts.rests.set(entry.transactionId, Date.now() + pauseOf(error.retryAfterMs));
      this.#leave(entry);
      return;
    }
    const stop = isTooLarge ? null : this.#stop(error);
    if (stop !== null) throw stop;
    this.#hold(entry, { reason: 'refused', code, message, field });
  }

  #leave(entry: Entry): void {
    this.#hasFailed = true;
    this.#blocked.add(entry);
  }

  #stop(error: unknown): Stop | null {
    if (error instanceof SignInRequired) {
      this.isRefused = true;
      return new Stop('event');
    }
    if (error instanceof Busy) return new Stop(error.retryAfterMs ? pauseOf(error.retryAfterMs) : 'failure');
    return error instanceof NetworkError ? new Stop('failure') : null;
  }

  #hold(entry: Entry, held: Held): void {
    const made = { ...entry, held };
    this.#change.put.push(made);
    this.#blocked.add(made);
    this.#reports.push(() => this.#parts.onHeld(made));
  }
}

/** A timer is limited to 24 days, and a proxy may send a longer pause than intended. */
const pauseMsMax = 3_600_000;
const pauseOf = (askedMs: number): number => Math.min(askedMs, pauseMsMax);

/** How long until the end of a pause, in milliseconds; 0 if it is over, or too far away because the clock was set back. */
export function msUntil(end: number = 0): number {
  const ms = end - Date.now();
  return ms > pauseMsMax ? 0 : Math.max(ms, 0);
}

/**
 * Whether only this batch is at fault, so that others may succeed: for example a quota, which deletes could free, or a
 * filter on the way.
 */
function isOfEntry(error: RowhouseError): boolean {
  const { code, status } = error;
  if (error instanceof Busy) return code === 131;
  const isFiltered =
    error instanceof NetworkError && status !== null && status >= 400 && status < 500 && status !== 413;
  return isFiltered || error instanceof ServiceFault;
}

const dayMs = 86_400_000;
/** Margin, because `Date` has whole seconds and a request takes time. */
const marginMs = 3_600_000;
/** After this long, by this machine's clock, the service's time is requested again. */
const freshMs = 1_800_000;

/** The service's clock, from its answers, and how long it remembers transactions. */
export class ServiceTime {
  #told: { readonly at: number; readonly here: number; readonly historyMs: number } | null = null;

  get isKnown(): boolean {
    return this.#told !== null && Math.abs(Date.now() - this.#told.here) < freshMs;
  }

  /** The service's time at the last request, milliseconds: never later than its present time. */
  get now(): number {
    return this.#told?.at ?? 0;
  }

  /** Whether the service may still remember transactions of that time. */
  mayKnow(at: number): boolean {
    return this.#told !== null && this.#told.at - at < this.#told.historyMs - marginMs;
  }

  /** @throws RowhouseError */
  async ask(transport: Transport): Promise<void> {
    const { answer, headers } = await transport.send('definitionInfo', { isRepeatable: true });
    const at = Date.parse(headers.get('date') ?? '');
    if (Number.isNaN(at)) {
      const message = 'The answer has no header Date that this page may read.';
      throw new NetworkError({ message });
    }
    this.#told = { at, here: Date.now(), historyMs: answer.results.historyDays * dayMs };
  }
}
