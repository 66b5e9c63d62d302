/** A bounded map, from which the least recently used entry is evicted, and the cache of prepared statements made of it. */

export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;
  readonly #leaves: (value: Value) => void;
  #youngest: Key | undefined;

  /** @param leaves called with each evicted or deleted value */
  constructor(capacity: number, leaves: (value: Value) => void = () => {}) {
    this.#capacity = Math.max(1, capacity);
    this.#leaves = leaves;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#youngest) return value;
    // A Map keeps insertion order, so re-inserting an entry makes it the most recent.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    return value;
  }

  /** @returns the value */
  set(key: Key, value: Value): Value {
    this.delete(key);
    while (this.#entries.size >= this.#capacity) this.delete(this.#entries.keys().next().value as Key);
    this.#entries.set(key, value);
    this.#youngest = key;
    return value;
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    if (key === this.#youngest) this.#youngest = undefined;
    this.#leaves(value);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}

/** SQL longer than this is not kept, prepared or as text; there is hardly a second statement like it. */
export const keptSqlMax = 16 * 1024;

export class StatementCache<Key, Prepared> {
  readonly #kept: Lru<Key, Prepared>;
  readonly #prepare: (sql: string) => Prepared;

  /** @param prepare prepares SQL that the engine will run several times */
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

  /** The next use prepares it again. */
  forget(key: Key): void {
    this.#kept.delete(key);
  }

  clear(): void {
    this.#kept.clear();
  }
}
