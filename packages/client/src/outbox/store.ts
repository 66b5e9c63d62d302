/** Where an outbox keeps its entries, and the in-memory store, on which the file store builds. */
import type { Entry, Settled } from './entry.ts';

export type NewEntry = Omit<Entry, 'sequence'>;

/** A change that happens completely or not at all. */
export interface Change {
  readonly put?: readonly Entry[] | undefined;
  /** By sequence. */
  readonly remove?: readonly number[] | undefined;
  readonly settled?: readonly Settled[] | undefined;
}

/** When `append` and `change` resolve, their data is stored, even if the program or the machine stops at that moment. */
export interface OutboxStore {
  /** The name under which tabs share the store; null if only this program has it open. */
  readonly sharedName: string | null;
  /** Appends the entry; does nothing if its transaction id already exists. */
  append(entry: NewEntry): Promise<void>;
  /** The entries in order. @param after a sequence */
  entries(after?: number): Promise<Entry[]>;
  change(change: Change): Promise<void>;
  settled(transactionId: string): Promise<Settled | null>;
  /** Runs the work exclusively among the tabs and programs that share the store. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** How long a settled entry's locks are kept for writes based on it. */
export const settledMs: number = 7 * 86_400_000;
const settledMax = 10_000;

/** The entries of a store in memory. */
export class OutboxState {
  readonly #entries = new Map<number, Entry>();
  readonly #transactions = new Set<string>();
  readonly #settled = new Map<string, Settled>();
  #next = 1;

  /** The entry with its sequence; null if its transaction id already exists. */
  placed(entry: NewEntry): Entry | null {
    if (this.#transactions.has(entry.transactionId)) return null;
    this.#transactions.add(entry.transactionId);
    return { ...entry, sequence: this.#next++ };
  }

  /** Removes an entry that could not be kept. */
  forget({ transactionId }: NewEntry): void {
    this.#transactions.delete(transactionId);
  }

  apply({ put = [], remove = [], settled = [] }: Change): void {
    for (const entry of put) {
      this.#entries.set(entry.sequence, entry);
      this.#transactions.add(entry.transactionId);
      this.#next = Math.max(this.#next, entry.sequence + 1);
    }
    for (const sequence of remove) {
      this.#transactions.delete(this.#entries.get(sequence)?.transactionId ?? '');
      this.#entries.delete(sequence);
    }
    for (const one of settled) this.#settled.set(one.transactionId, one);
    for (const id of this.#settled.keys()) {
      if (this.#settled.size <= settledMax) break;
      this.#settled.delete(id);
    }
  }

  entries(after = 0): Entry[] {
    const all = [...this.#entries.values()].sort((one, other) => one.sequence - other.sequence);
    return all.filter(({ sequence }) => sequence > after);
  }

  settled(transactionId: string): Settled | null {
    return this.#settled.get(transactionId) ?? null;
  }

  /** One change that creates this state from an empty one. */
  get whole(): Required<Change> {
    return { put: this.entries(), remove: [], settled: [...this.#settled.values()] };
  }
}

/** Keeps entries for as long as the program runs: for tests, and where no other store is available. */
export function memoryStore(): OutboxStore {
  const state = new OutboxState();
  return {
    sharedName: null,
    async append(entry) {
      const placed = state.placed(entry);
      if (placed !== null) state.apply({ put: [placed] });
    },
    entries: async (after) => state.entries(after),
    change: async (change) => state.apply(change),
    settled: async (transactionId) => state.settled(transactionId),
    exclusive: (work) => work(),
    close: async () => {},
  };
}
