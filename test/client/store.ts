/** Where the outbox of a test keeps its entries. */
import { memoryStore, type OutboxStore } from '../../packages/client/src/outbox/store.ts';

const stores = new Map<string, OutboxStore>();

/** The store of this name, with what it held when it was closed. */
export async function openStore(name: string): Promise<OutboxStore> {
  const store = stores.get(name) ?? memoryStore();
  stores.set(name, store);
  return store;
}
