/** Changes of tables: the single hub that reports them, whether this client made them or was told of them. */
import { createListeners } from './listeners.ts';

/** A change of one record. */
export interface Change {
  readonly table: string;
  readonly objectId: string;
  /** The known state of the record; null if it was deleted. */
  readonly record: Readonly<Record<string, unknown>> | null;
  /** Whether it still waits in an outbox and has not reached the service. */
  readonly isPending?: boolean;
}

/** Passed to listeners: data read from these tables may have changed. */
export interface Changed {
  readonly tables: readonly string[];
  /** The changed records, if known. */
  readonly changes: readonly Change[];
}

export interface Changes {
  /** Reports changes of records. */
  apply(changes: readonly Change[]): void;
  /** Reports that any record of these tables may have changed. */
  invalidate(tables: readonly string[]): void;
  /** @returns a function that ends the calls */
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
