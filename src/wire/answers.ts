/** Which codes an operation answers, and with which HTTP statuses, from what `wire/` and the catalogue say. */
import { type Code, codes, type Fault } from '../errors.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations.ts';

/** Faults that any operation may meet, and the statuses that `http/envelope.ts` gives them. */
const faultStatus = { malformed: 400, missing: 400, tooMany: 429, busy: 503, internal: 500 } as const satisfies Partial<
  Record<Fault, number>
>;

/** What settling the caller may answer, before the operation itself (docs/reference/sign-in.md#tokens). */
const ofToken: readonly Code[] = [110, 120, 121];

/** Statuses that an error names itself, besides its code's own (`ErrorDetails.status`). */
const furtherStatus: Readonly<Record<string, Partial<Record<Code, number>>>> = {
  addData: { 131: 403 },
  updateData: { 130: 409, 131: 403 },
  deleteData: { 130: 409 },
  updateGroup: { 130: 409 },
  deleteGroup: { 130: 409 },
  updateUser: { 130: 409 },
  deleteUser: { 130: 409 },
  query: { 212: 413 },
  expressionQuery: { 212: 413 },
};

/** Ascending, success first. */
export function codesOf(operation: Operation): Code[] {
  const answered = new Set<Code>(operation.codes);
  if (operation.token !== 'none') for (const code of ofToken) answered.add(code);
  for (const fault of faultsOf(operation)) answered.add(operation.faults[fault]);
  return [...answered].sort((a, b) => a - b);
}

export function statusesOf(operation: Operation, code: Code): number[] {
  const statuses = new Set<number>();
  const isListed = operation.codes.includes(code) || ofToken.includes(code);
  const faults = faultsOf(operation).filter((fault) => operation.faults[fault] === code);
  if (isListed) statuses.add(codes[code].status);
  for (const fault of faults) statuses.add(faultStatus[fault]);
  const further = furtherStatus[operation.name]?.[code];
  if (further !== undefined) statuses.add(further);
  return [...statuses].sort((a, b) => a - b);
}

/** Names of the operations that answer the code, in the order of the interface. */
export function operationsWith(code: Code): string[] {
  return operations.filter((operation) => codesOf(operation).includes(code)).map(({ name }) => name);
}

/** Strict handling refuses unknown query parameters, also where none is taken. */
function faultsOf(operation: Operation): (keyof typeof faultStatus)[] {
  const takes = operation.body !== null || Object.keys(operation.query.properties).length > 0;
  const always = ['malformed', 'tooMany', 'busy', 'internal'] as const;
  return takes || operation.path.includes(':') ? ['missing', ...always] : [...always];
}
