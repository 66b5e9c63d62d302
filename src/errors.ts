/**
 * The catalogue of error codes (docs/reference/codes.md#all-codes) and the one error that features throw. Codes are
 * never reused. The operation decides which code a *fault* becomes (`operations/define.ts`), because every operation
 * lists its own codes.
 */

export interface CodeEntry {
  readonly meaning: string;
  /** HTTP status of the code, unless the error names another one. */
  readonly status: number;
}

export const codes = {
  0: { meaning: 'success', status: 200 },
  101: { meaning: 'no application with this key or id', status: 404 },
  102: { meaning: 'data space or table not defined', status: 404 },
  104: { meaning: 'token belongs to another company, application or version', status: 401 },
  105: { meaning: 'application does not exist', status: 404 },
  106: { meaning: 'application id or version not correct', status: 404 },
  110: { meaning: 'user does not exist or is disabled', status: 401 },
  111: { meaning: 'wrong credentials, or the provider refused the code', status: 401 },
  112: { meaning: 'user information and token do not match', status: 401 },
  113: { meaning: 'login: unknown client id', status: 400 },
  114: { meaning: 'login: authnState is wrong', status: 400 },
  115: { meaning: 'login: no login flow is under way, or it expired or was used', status: 400 },
  116: { meaning: 'login: ID token not valid', status: 400 },
  117: { meaning: 'login: identity provider not reachable', status: 502 },
  119: { meaning: 'login: account not allowed', status: 403 },
  120: { meaning: 'token expired', status: 401 },
  121: { meaning: 'token does not exist', status: 401 },
  122: { meaning: 'not permitted to this caller', status: 403 },
  130: { meaning: 'record does not exist, or was changed by someone else', status: 404 },
  131: { meaning: 'data not valid, or the request could not be processed', status: 400 },
  132: { meaning: 'query not valid', status: 400 },
  160: { meaning: 'device does not match the token', status: 401 },
  161: { meaning: 'device already registered for this application', status: 409 },
  163: { meaning: 'register the device before login', status: 401 },
  198: { meaning: 'a required input is missing', status: 400 },
  199: { meaning: 'no such request', status: 404 },
  201: { meaning: 'session could not be saved', status: 500 },
  202: { meaning: 'application database or table not reachable (delete)', status: 404 },
  206: { meaning: 'device could not be saved', status: 500 },
  210: { meaning: 'transaction could not be saved', status: 500 },
  211: { meaning: 'transaction id was already processed', status: 409 },
  212: { meaning: 'records could not be read', status: 500 },
  220: { meaning: 'delete could not be executed', status: 500 },
} as const satisfies Record<number, CodeEntry>;

export type Code = keyof typeof codes;

/**
 * What went wrong where the code depends on the operation:
 * `malformed` input of the wrong form or value · `missing` a required input is absent · `noTable` the table or data
 * space is not defined · `forbidden` not permitted to this caller · `busy` a queue or the database is at its limit
 * (503, `Retry-After`) · `tooMany` rate limit (429) · `internal` our bug or a broken dependency (500).
 */
export type Fault = 'malformed' | 'missing' | 'noTable' | 'forbidden' | 'busy' | 'tooMany' | 'internal';

export interface ErrorDetails {
  /** HTTP status where it differs from the code's own (130: 409 when changed; 212: 413 too large, 503 time limit). */
  readonly status?: number;
  /** Becomes `results` of the envelope (per-item results of a failed batch, the first answer of a replay). */
  readonly results?: unknown;
  /** Seconds; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** For the log only, never for the client. */
  readonly cause?: unknown;
}

/**
 * An answer other than success. The message is for the client: it names the field, what was expected and what was sent.
 */
export class ServiceError extends Error {
  readonly reason: Code | Fault;
  readonly details: ErrorDetails;

  constructor(reason: Code | Fault, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'ServiceError';
    this.reason = reason;
    this.details = details;
  }
}

/** Malformed input: `field` is its path (`range.limit`), `message` says what was expected and what was sent. */
export function malformed(field: string, message: string): ServiceError {
  return new ServiceError('malformed', `${field}: ${message}`);
}

/** A required input that is absent or empty. */
export function missing(field: string, expected = 'a value'): ServiceError {
  return new ServiceError('missing', `${field}: expected ${expected}, got none.`);
}

/** A value as error messages show it: as JSON, truncated to 60 characters; `none` for undefined. Never pass a secret. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'none';
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  if (text.length <= 60) return text;
  const end = typeof value === 'string' ? '..."' : '...';
  return `${text.slice(0, 60 - end.length).toWellFormed()}${end}`;
}
