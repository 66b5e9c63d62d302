/** A bounded map: when it is full, the least recently used entry is evicted. */
export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #capacity: number;
  readonly #leaves: (value: Value) => void;
  #youngest: Key | undefined;

  /** @param leaves called with a value that has been pushed out or deleted */
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
    // A Map keeps the order of insertion, so inserting an entry again makes it the most recent.
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
