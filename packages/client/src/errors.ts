/**
 * Errors, one class per kind. `errCode` determines the kind, so that it is the same with the setting `errorStatus:
 * "ok"`.
 */
import type { Batch } from './writes.ts';

/** The failure that an answer describes. */
export interface Failure {
  /** The code of the service; absent if it did not answer. */
  readonly code?: number | null;
  /** The HTTP status; absent if there was no answer. */
  readonly status?: number | null;
  readonly message: string;
  /** How long the service asked to wait, from its header `Retry-After`. */
  readonly retryAfterMs?: number | undefined;
  /** For a batch: one entry for each item, in order. */
  readonly results?: readonly ItemFailure[] | undefined;
  /** The batch that was sent. */
  readonly batch?: Batch | undefined;
  readonly cause?: unknown;
}

/** The service's answer for one item of a batch; an item without `errCode` is not at fault itself. */
export interface ItemFailure {
  readonly objectId: string | null;
  readonly errCode?: number;
  readonly description?: string;
}

/** The base of all errors that the client throws for a request. */
export class RowhouseError extends Error {
  override name = 'RowhouseError';
  /** The service's code; null if it did not answer. */
  readonly code: number | null = null;
  /** The HTTP status; null without an answer. */
  readonly status: number | null = null;
  /** The field at fault, as named by the service: `operations[0].data[1].year`; null if it names none. */
  readonly field: string | null;
  declare readonly retryAfterMs: number | undefined;
  declare readonly results: readonly ItemFailure[] | undefined;
  /**
   * The batch that was sent. After a `NetworkError` or `ServiceFault` it may or may not have been written;
   * `client.commit(error.batch)` makes sure that it is written exactly once.
   */
  declare readonly batch: Batch | undefined;

  constructor({ message, cause, ...told }: Failure) {
    super(message, { cause });
    this.field = /^([a-z][\w.[\]]*)(?:, character \d+)?: /i.exec(message)?.[1] ?? null;
    Object.assign(this, told);
  }
}

/** The service did not answer: no connection, a time-out, or an answer from a proxy in its place. */
export class NetworkError extends RowhouseError {
  override name = 'NetworkError';
}
/** The session has ended (110, 120, 121), or there was none: the user must sign in. */
export class SignInRequired extends RowhouseError {
  override name = 'SignInRequired';
}
/** A sign-in was refused (104, 111 to 119, 160 to 163). */
export class SignInRefused extends RowhouseError {
  override name = 'SignInRefused';
}
/** The user may not do this (122). */
export class Forbidden extends RowhouseError {
  override name = 'Forbidden';
}
/** There is no such record that the user may see, no such table or no such application (101, 102, 105, 106, 130, 199, 202). */
export class NotFound extends RowhouseError {
  override name = 'NotFound';
}
/** The request is not valid (131, 132, 198, and any code of a family that this client does not know). */
export class Invalid extends RowhouseError {
  override name = 'Invalid';
}
/** The service is busy, or a temporary limit was reached: it sent `Retry-After`. */
export class Busy extends RowhouseError {
  override name = 'Busy';
}
/** The transaction id was already used for something else (211), so it is unknown whether this batch was carried out. */
export class AlreadyProcessed extends RowhouseError {
  override name = 'AlreadyProcessed';
}
/** The fault is in the service, or the answer would be too large (201, 206, 210, 212, 220). */
export class ServiceFault extends RowhouseError {
  override name = 'ServiceFault';
}
type Kind = new (failure: Failure) => RowhouseError;

/** By families of codes: the first one that matches. */
const kinds: readonly (readonly [Kind, RegExp])[] = [
  [SignInRequired, /110|12[01]/],
  [SignInRefused, /104|11.|16./],
  [Forbidden, /122/],
  [NotFound, /10.|130|199|202/],
  [AlreadyProcessed, /211/],
  [ServiceFault, /2../],
];

/** The error for an answer. `Retry-After` takes precedence: whatever the code, the same request may succeed later. */
export function errorOf(failure: Failure): RowhouseError {
  if (failure.retryAfterMs !== undefined) return new Busy(failure);
  const known = kinds.find(([, codes]) => codes.test(`${failure.code}`));
  return new (known?.[0] ?? ((failure.status as number) >= 500 ? ServiceFault : Invalid))(failure);
}
