/** An outbox in IndexedDB, which all tabs of an origin share. */
import { inTurn } from '../turns.ts';
import type { Entry, Settled } from './entry.ts';
import { type OutboxStore, settledMs } from './store.ts';

/**
 * If a browser has no Web Locks, a sending tab holds a lease; other tabs may take it over after this many milliseconds
 * without renewal.
 */
const leaseMs = 90_000;
const leasePauseMs = 1_000;

interface Lease {
  readonly holder: string;
  readonly until: number;
}

type StoreName = 'entries' | 'settled' | 'lease';

/** @param name of the database; entries of all application versions and users can share one */
export async function indexedDbStore(name = 'rowhouse-outbox'): Promise<OutboxStore> {
  let opening = open(name);
  await opening;
  let isClosed = false;
  const holder = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const hasLocks = navigator.locks !== undefined;
  let isLeased = false;

  /**
   * A browser may close the database, for example when a phone suspends the page, or when the site's data are removed. It is then
   * opened again.
   */
  async function begin(names: StoreName | StoreName[], mode: IDBTransactionMode): Promise<IDBTransaction> {
    const transaction = async () => (await opening).transaction(names, mode, { durability: 'strict' });
    try {
      return await transaction();
    } catch (error) {
      if (isClosed) throw error;
      opening = open(name);
      return transaction();
    }
  }

  /** Resolves when the work's changes are on disk. */
  async function write(names: StoreName[], work: (transaction: IDBTransaction) => void): Promise<void> {
    const transaction = await begin(names, 'readwrite');
    await new Promise<void>((resolve, reject) => {
      let fault: unknown = null;
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(fault ?? transaction.error ?? new Error('Another tab sends now.'));
      try {
        work(transaction);
      } catch (error) {
        fault = error;
        transaction.abort();
      }
    });
  }

  async function read<Value>(of: StoreName, ask: (store: IDBObjectStore) => IDBRequest<Value>): Promise<Value> {
    const transaction = await begin(of, 'readonly');
    return new Promise((resolve, reject) => {
      const request = ask(transaction.objectStore(of));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /** Takes or extends the lease. @returns false while another tab has it */
  async function lease(until: number): Promise<boolean> {
    let isOurs = false;
    await write(['lease'], (transaction) => {
      const store = transaction.objectStore('lease');
      const request: IDBRequest<Lease | undefined> = store.get('drain');
      request.onsuccess = () => {
        const ms = (request.result?.until ?? 0) - Date.now();
        // A lease that ends later was written before the clock was set back.
        isOurs = request.result?.holder === holder || ms < 0 || ms > leaseMs;
        if (isOurs) store.put({ holder, until }, 'drain');
      };
    });
    return isOurs;
  }

  async function withLease<Result>(work: () => Promise<Result>): Promise<Result> {
    while (!(await lease(Date.now() + leaseMs))) await new Promise((resolve) => setTimeout(resolve, leasePauseMs));
    isLeased = true;
    try {
      return await work();
    } finally {
      isLeased = false;
      await lease(0);
    }
  }

  /** Continues in the transaction if this tab has the lease. */
  function ifLeased(transaction: IDBTransaction, work: () => void): void {
    if (!isLeased) {
      work();
      return;
    }
    const store = transaction.objectStore('lease');
    const request: IDBRequest<Lease | undefined> = store.get('drain');
    request.onsuccess = () => {
      if (request.result?.holder !== holder) return transaction.abort();
      store.put({ holder, until: Date.now() + leaseMs }, 'drain');
      work();
    };
  }

  return {
    sharedName: name,
    append: (entry) =>
      write(['entries'], (transaction) => {
        const store = transaction.objectStore('entries');
        const known = store.index('transactionId').getKey(entry.transactionId);
        known.onsuccess = () => {
          if (known.result === undefined) store.add(entry);
        };
      }),
    entries: (after = 0) =>
      read('entries', (store): IDBRequest<Entry[]> => store.getAll(IDBKeyRange.lowerBound(after, true))),
    change: ({ put = [], remove = [], settled = [] }) =>
      write(['entries', 'settled', 'lease'], (transaction) =>
        ifLeased(transaction, () => {
          for (const entry of put) transaction.objectStore('entries').put(entry);
          for (const sequence of remove) transaction.objectStore('entries').delete(sequence);
          for (const one of settled) transaction.objectStore('settled').put(one);
          if (settled.length > 0) forgetOld(transaction.objectStore('settled'));
        }),
      ),
    settled: async (transactionId) =>
      (await read('settled', (store): IDBRequest<Settled | undefined> => store.get(transactionId))) ?? null,
    exclusive: (work) => (hasLocks ? inTurn(`rowhouse.outbox.${name}`, work) : withLease(work)),
    async close() {
      isClosed = true;
      (await opening).close();
    },
  };
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      const { result } = request;
      const entries = result.createObjectStore('entries', { keyPath: 'sequence', autoIncrement: true });
      entries.createIndex('transactionId', 'transactionId', { unique: true });
      result.createObjectStore('settled', { keyPath: 'transactionId' }).createIndex('at', 'at');
      result.createObjectStore('lease');
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result } = request;
      // The database can't be deleted or upgraded while it is open anywhere.
      result.onversionchange = () => result.close();
      resolve(result);
    };
  });
}

function forgetOld(settled: IDBObjectStore): void {
  const old = settled.index('at').openKeyCursor(IDBKeyRange.upperBound(Date.now() - settledMs));
  old.onsuccess = () => {
    if (old.result === null) return;
    settled.delete(old.result.primaryKey);
    old.result.continue();
  };
}
