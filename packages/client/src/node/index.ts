/** `@rowhouse/client/node`: functions for Node only. */
export { type FileStoreOptions, fileStore } from './file-store.ts';
export { type LoopbackOptions, loopback } from './loopback.ts';
export { fileStorage } from './storage.ts';
