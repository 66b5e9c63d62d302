/** The envelope of docs/reference/requests.md#the-envelope, for successes and errors. */
import type { Settings } from '../config.ts';
import { type Code, codes, type ServiceError } from '../errors.ts';
import { codeOf, type Operation } from '../operations/define.ts';
import { isOfAdministration } from '../operations/openapi.ts';
import { type JsonText, joined } from '../storage/json-text.ts';
import { withoutTokens } from './secrets.ts';

export interface Answer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The envelope of a success, with the operation's own members. */
export function success(members: object = {}): string {
  return JSON.stringify({ errCode: 0, status: 'OK', description: null, ...members });
}

/** The envelope of most answers, without its end. */
const plainSuccess = success().slice(0, -1);

/** The success envelope with one member that is JSON text already. */
export function successWith(name: string, json: JsonText, members?: object): JsonText {
  const begin = members === undefined ? plainSuccess : success(members).slice(0, -1);
  return joined([`${begin},"${name}":`, json, '}']);
}

export interface Failure extends Answer {
  readonly code: Code;
  /** Log level of an answer: our fault, a temporary refusal, or the client's own fault. */
  readonly level: 'error' | 'warn' | 'info';
}

/** Whether errors at this address have status 200 (setting `errorStatus: "ok"`). The console goes by the status. */
export function alwaysOk(url: string, { errorStatus, basePath }: Pick<Settings, 'errorStatus' | 'basePath'>): boolean {
  return errorStatus === 'ok' && !isOfAdministration(url, basePath);
}

/**
 * @param isOk whether it is answered with HTTP 200 (`alwaysOk`)
 * @param requestId the id in the log, included in answers to our own faults
 */
export function failure(
  operation: Pick<Operation, 'faults'> | undefined,
  error: ServiceError,
  isOk: boolean,
  requestId?: string,
): Failure {
  const code = codeOf(operation, error.reason);
  const { results, retryAfterSeconds } = error.details;
  const status = statusOf(error, code);
  const hint =
    status === 500 && requestId !== undefined ? ` The service's log has the cause under request ${requestId}.` : '';
  const body = {
    errCode: code,
    status: 'error',
    description: `${withoutTokens(error.message)}${hint}`,
    ...(results === undefined ? {} : { results: Array.isArray(results) ? results.map(withoutTokensIn) : results }),
  };
  return {
    code,
    level: status < 500 && status !== 429 ? 'info' : status === 500 ? 'error' : 'warn',
    status: isOk ? 200 : status,
    body: JSON.stringify(body),
    ...(retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }),
  };
}

/** The result of one item in a batch. Its ids are the client's own and are kept. */
function withoutTokensIn(result: { readonly description?: unknown }): object {
  const { description } = result;
  return typeof description === 'string' ? { ...result, description: withoutTokens(description) } : result;
}

function statusOf(error: ServiceError, code: Code): number {
  if (error.details.status !== undefined) return error.details.status;
  switch (error.reason) {
    case 'busy':
      return 503;
    case 'internal':
      return 500;
    case 'tooMany':
      return 429;
    case 'malformed':
    case 'missing':
      return 400;
    default:
      return codes[code].status;
  }
}
