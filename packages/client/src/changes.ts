/** What changed in the tables: the one place where changes are told, whether this client made them or heard of them. */
import { createListeners } from './listeners.ts';

/** A change of one record. */
export interface Change {
  readonly table: string;
  readonly objectId: string;
  /** What is known of the record now; null for one that is gone. */
  readonly record: Readonly<Record<string, unknown>> | null;
  /** Whether it waits in an outbox, so that the service does not know of it yet. */
  readonly isPending?: boolean;
}

/** Passed to listeners: data read from these tables may have changed. */
export interface Changed {
  readonly tables: readonly string[];
  /** The records, where they are known. */
  readonly changes: readonly Change[];
}

export interface Changes {
  /** Tells of changes of records. */
  apply(changes: readonly Change[]): void;
  /** Tells that any record of these tables may have changed. */
  invalidate(tables: readonly string[]): void;
  /** @returns what ends the calls */
  listen(listener: (changed: Changed) => void): () => void;
}

export function createChanges(): Changes {
  const { tell, listen } = createListeners<Changed>();
  return {
    apply: (changes) => tell({ tables: [...new Set(changes.map(({ table }) => table))], changes }),
    invalidate: (tables) => tell({ tables, changes: [] }),
    listen,
  };
}
