/** `@rowhouse/client/outbox`: keeps writes until they can be sent. */
export type { Entry, Held, Settled } from './entry.ts';
export { indexedDbStore } from './indexed-db.ts';
export { createOutbox, type Outbox, type OutboxOptions } from './outbox.ts';
export { type SqlDatabase, sqlStore } from './sql.ts';
export { type Change, memoryStore, type NewEntry, type OutboxStore } from './store.ts';
