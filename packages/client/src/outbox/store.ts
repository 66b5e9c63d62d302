/** Where an outbox keeps its entries, and the store that keeps them in memory, which the one in a file builds on. */
import type { Entry, Settled } from './entry.ts';

export type NewEntry = Omit<Entry, 'sequence'>;

/** What happens at once, or not at all. */
export interface Change {
  readonly put?: readonly Entry[] | undefined;
  /** By sequence. */
  readonly remove?: readonly number[] | undefined;
  readonly settled?: readonly Settled[] | undefined;
}

/** When `append` and `change` resolve, their data is stored, even if the program or the machine stops at that moment. */
export interface OutboxStore {
  /** By which other tabs know the same store; null if this program alone has it open. */
  readonly sharedName: string | null;
  /** Takes the entry as the last one; nothing happens if its transaction id is there already. */
  append(entry: NewEntry): Promise<void>;
  /** In their order. @param after a sequence */
  entries(after?: number): Promise<Entry[]>;
  change(change: Change): Promise<void>;
  settled(transactionId: string): Promise<Settled | null>;
  /** Runs the work while no other tab or program that shares the store runs such work. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** For how long a settled entry's locks are kept, so that writes which are based on it find them. */
export const settledMs: number = 7 * 86_400_000;
const settledMax = 10_000;

/** The entries of a store as values. */
export class OutboxState {
  readonly #entries = new Map<number, Entry>();
  readonly #transactions = new Set<string>();
  readonly #settled = new Map<string, Settled>();
  #next = 1;

  /** The entry with its place; null if its transaction id is there already. */
  placed(entry: NewEntry): Entry | null {
    if (this.#transactions.has(entry.transactionId)) return null;
    this.#transactions.add(entry.transactionId);
    return { ...entry, sequence: this.#next++ };
  }

  /** The entry was not kept after all. */
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

  /** One change that makes this state out of nothing. */
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
