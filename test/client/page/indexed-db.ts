/** The store of an outbox in IndexedDB. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedDbStore } from '../../../packages/client/src/outbox/indexed-db.ts';
import type { OutboxStore } from '../../../packages/client/src/outbox/store.ts';
import { entryOf, testStore } from '../store-contract.ts';

testStore('IndexedDB', () => indexedDbStore('contract'));

test('an entry counts as kept when the browser says that a transaction of strict durability is complete', async () => {
  const store = await indexedDbStore('durable');
  const events: string[] = [];
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...input) {
    const made = transaction.apply(this, input);
    if (made.mode === 'readwrite') {
      events.push(made.durability);
      made.addEventListener('complete', () => events.push('complete'));
    }
    return made;
  };
  try {
    await store.append(entryOf('one'));
    events.push('appended');
    await store.change({ remove: [1] });
    events.push('changed');
  } finally {
    IDBDatabase.prototype.transaction = transaction;
  }
  await store.close();
  assert.deepEqual(events, ['strict', 'complete', 'appended', 'strict', 'complete', 'changed']);
});

test('a database that the browser has closed is opened again, but not one that the app has closed', async () => {
  const store = await indexedDbStore('suspended');
  await store.append(entryOf('one'));
  // Closes the connections that are open, as browsers do when they remove the data of a site.
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('suspended').onsuccess = resolve;
  });
  await Promise.all([store.append(entryOf('two')), store.append(entryOf('three'))]);
  assert.deepEqual(
    (await store.entries()).map(({ transactionId }) => transactionId),
    ['two', 'three'],
  );
  await store.close();
  await assert.rejects(store.append(entryOf('four')), /./);
});

/** As in a browser without Web Locks. */
async function openWithoutLocks(name: string): Promise<OutboxStore> {
  const locks = Object.getOwnPropertyDescriptor(Navigator.prototype, 'locks') as PropertyDescriptor;
  Object.defineProperty(Navigator.prototype, 'locks', { value: undefined, configurable: true });
  try {
    return await indexedDbStore(name);
  } finally {
    Object.defineProperty(Navigator.prototype, 'locks', locks);
  }
}

interface Lease {
  readonly until: number;
}

/** The present lease, or the given one in its place. */
function lease(name: string, value?: Lease): Promise<Lease> {
  return new Promise((resolve) => {
    const opened = indexedDB.open(name);
    opened.onsuccess = () => {
      const { result } = opened;
      const leases = result.transaction('lease', 'readwrite').objectStore('lease');
      const request = value === undefined ? leases.get('drain') : leases.put(value, 'drain');
      request.onsuccess = () => {
        result.close();
        resolve(request.result as Lease);
      };
    };
  });
}

test('without Web Locks a lease lets one store of a database send, and a store that has lost it can change nothing', async () => {
  const name = 'leased';
  const [one, other] = [await openWithoutLocks(name), await openWithoutLocks(name)];
  await one.append(entryOf('one'));
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const first = one.exclusive(() => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  const turn = other.exclusive(async () => 'had its turn');
  const held = await lease(name);
  assert.ok(held.until > Date.now());
  await one.change({ settled: [{ transactionId: 'own', locks: {}, at: Date.now() }] });
  // As if it had not been renewed for a long time.
  await lease(name, { ...held, until: 0 });
  assert.equal(await turn, 'had its turn');
  await assert.rejects(one.change({ remove: [1] }), /Another tab sends now/);
  assert.equal((await other.entries()).length, 1);
  end.resolve();
  await first;
  // The lease of a tab that was killed before the clock was set back.
  await lease(name, { ...held, until: Date.now() + 86_400_000 });
  assert.equal(await one.exclusive(async () => 'not in a day'), 'not in a day');
  await Promise.all([one, other].map((store) => store.close()));
});
