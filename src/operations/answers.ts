/** The codes and HTTP statuses that an operation may answer, derived from its descriptor and the catalogue. */
import { type Code, codes, type Fault } from '../errors.ts';
import type { Operation } from './define.ts';

/** Faults that any operation may meet, and the statuses that `http/envelope.ts` gives them. */
const faultStatus = { malformed: 400, missing: 400, tooMany: 429, busy: 503, internal: 500 } as const satisfies Partial<
  Record<Fault, number>
>;

/**
 * Possible answers while the caller is authenticated, before the operation itself (docs/reference/sign-in.md#tokens).
 */
const ofToken: readonly Code[] = [110, 120, 121];
/** No session, an expired one, one of a disabled account, a missing right or a wrong CSRF token. */
const ofSession: readonly Code[] = [...ofToken, 122];

/** Ascending, success first. */
export function codesOf(operation: Operation): Code[] {
  const answered = ownCodes(operation).concat(faultsOf(operation).map((fault) => operation.faults[fault]));
  return [...new Set(answered)].sort((a, b) => a - b);
}

export function statusesOf(operation: Operation, code: Code): number[] {
  const statuses = faultsOf(operation)
    .filter((fault) => operation.faults[fault] === code)
    .map((fault): number => faultStatus[fault]);
  if (ownCodes(operation).includes(code)) {
    statuses.push(codes[code].status);
    if (code === 130 && takesRevision(operation)) statuses.push(409);
  }
  const further = operation.statuses?.[code];
  if (further !== undefined) statuses.push(further);
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** All but those of faults. */
function ownCodes({ surface, caller, codes: listed, method, params }: Operation): Code[] {
  if (surface === 'client') return caller === 'none' ? [...listed] : [...listed, ...ofToken];
  const answered: Code[] = [0, ...listed];
  // A request of another origin is refused before its session is checked.
  if (caller === 'session') answered.push(...ofSession);
  else if (method !== 'GET') answered.push(122);
  return Object.keys(params.properties).length > 0 ? [...answered, 130] : answered;
}

/** Strict handling refuses unknown query parameters, even in operations that have none. */
function faultsOf({ body, query, path }: Operation): (keyof typeof faultStatus)[] {
  const takes = body !== null || Object.keys(query.properties).length > 0 || path.includes(':');
  const always = ['malformed', 'tooMany', 'busy', 'internal'] as const;
  return takes ? ['missing', ...always] : [...always];
}

function takesRevision({ body, query }: Operation): boolean {
  return body?.properties.revision !== undefined || query.properties.revision !== undefined;
}
