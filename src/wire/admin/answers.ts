/** Which codes an operation of the administration interface answers, and with which HTTP statuses. */
import { type Code, codes } from '../../errors.ts';
import type { AdminOperation } from './operation.ts';

/** No session, an expired one, one of a disabled account, a missing right or a wrong CSRF token. */
const ofSession: readonly Code[] = [110, 120, 121, 122];

/** Ascending, success first. */
export function codesOfAdmin(operation: AdminOperation): Code[] {
  const { malformed, busy, internal, tooMany } = operation.faults;
  const answered: Code[] = [0, ...operation.codes, malformed, busy, internal, tooMany];
  // Another origin is refused before a session is asked for.
  if (operation.permission !== 'open') answered.push(...ofSession);
  else if (operation.method !== 'GET') answered.push(122);
  if (namesSomething(operation)) answered.push(130);
  return [...new Set(answered)].sort((a, b) => a - b);
}

export function statusesOfAdmin(operation: AdminOperation, code: Code): number[] {
  const { malformed, busy, internal, tooMany } = operation.faults;
  const statuses = new Set<number>();
  if (code === malformed) statuses.add(400);
  if (code === busy) statuses.add(503);
  if (code === internal) statuses.add(500);
  if (code === tooMany) statuses.add(429);
  if (operation.codes.includes(code) || ![malformed, busy, internal, tooMany].includes(code))
    statuses.add(codes[code].status);
  if (code === 130 && takesRevision(operation)) statuses.add(409);
  return [...statuses].sort((a, b) => a - b);
}

function namesSomething({ params }: AdminOperation): boolean {
  return Object.keys(params.properties).length > 0;
}

function takesRevision({ body, query }: AdminOperation): boolean {
  return body?.properties.revision !== undefined || query.properties.revision !== undefined;
}
