/** `@rowhouse/client`: records, queries, sign-in and client logs. */
export type { Change, Changed, Changes } from './changes.ts';
export { type Client, type ClientOptions, createClient, type Parts } from './client.ts';
export * from './errors.ts';
export { type Session, tokenSession } from './session.ts';
export { type Call, createTransport, type Transport, type TransportOptions } from './transport.ts';
export { type Operations, operations } from './wire.ts';
export {
  type Batch,
  bodyOf,
  type Commit,
  type Conflict,
  type Outcome,
  type Stored,
  sendBatch,
  type Write,
} from './writes.ts';
