/** `@rowhouse/client`: records, queries, sign-in and client logs. */
export { popup, resume, signInWithRedirect } from './browser.ts';
export type { Change, Changed, Changes } from './changes.ts';
export { type Client, type ClientOptions, createClient, type Db, type Parts } from './client.ts';
export * from './errors.ts';
export {
  and,
  avg,
  type Column,
  type ColumnOrder,
  Condition,
  coalesce,
  condition,
  count,
  countDistinct,
  Expression,
  expression,
  lower,
  max,
  min,
  not,
  type Order,
  or,
  sum,
  upper,
  type Where,
} from './expression.ts';
export type { Log, LogLevel } from './log.ts';
export { exists, isIn, Query } from './query.ts';
export type { DistinctOptions, GroupOptions, Page, QueryOptions, RowOptions } from './query-types.ts';
export {
  type BatchTable,
  type BatchTables,
  type Locked,
  type PutOptions,
  type PutResult,
  type Result,
  type StoredColumns,
  Table,
} from './records.ts';
export { type Session, tokenSession } from './session.ts';
export type { Device, SignInRequest } from './sign-in.ts';
export { memoryStorage, type TextStorage } from './storage.ts';
export type * from './tables.ts';
export { type Call, createTransport, type Transport, type TransportOptions } from './transport.ts';
export {
  createSession,
  type SessionOptions,
  type SignedOut,
  type SignOut,
  type User,
  type UserSession,
  type Visit,
} from './user-session.ts';
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
