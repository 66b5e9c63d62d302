/** In a browser: where the outbox of a test keeps its entries. */
export { indexedDbStore as openStore } from '../../../../packages/client/src/outbox/indexed-db.ts';
