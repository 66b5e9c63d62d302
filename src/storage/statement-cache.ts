/** Prepared statements by a key that names their SQL: a bounded number, the least recently used one leaving. */
import { Lru } from './lru.ts';

/** SQL longer than this is not kept, prepared or as text; there is hardly a second statement like it. */
export const keptSqlMax = 16 * 1024;

export class StatementCache<Key, Prepared> {
  readonly #kept: Lru<Key, Prepared>;
  readonly #prepare: (sql: string) => Prepared;

  /** @param prepare what the engine does with SQL that it is to run several times */
  constructor(max: number, prepare: (sql: string) => Prepared) {
    this.#kept = new Lru(max);
    this.#prepare = prepare;
  }

  get(key: Key): Prepared | undefined {
    return this.#kept.get(key);
  }

  /** Prepares it, and keeps it unless it is long. */
  add(key: Key, sql: string): Prepared {
    const prepared = this.#prepare(sql);
    return sql.length > keptSqlMax ? prepared : this.#kept.set(key, prepared);
  }

  /** The next use prepares it anew. */
  forget(key: Key): void {
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }
}
