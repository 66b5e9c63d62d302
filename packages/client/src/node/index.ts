/** `@rowhouse/client/node`: what only Node has. */
export { fileStore } from './file-store.ts';
export { type LoopbackOptions, loopback } from './loopback.ts';
export { fileStorage } from './storage.ts';
