/** `@rowhouse/client/node`: what only Node has. */
export { type FileStoreOptions, fileStore } from './file-store.ts';
export { type LoopbackOptions, loopback } from './loopback.ts';
export { fileStorage } from './storage.ts';
