/**
 * What an operation is: its place, what it takes and answers, and the codes that it may answer with
 * (docs/reference/operations.md, docs/reference/codes.md). Routes, checks, the code reference and OpenAPI are all made
 * from these.
 */
import type { TObject, TSchema } from 'typebox';
import type { Code, Fault } from '../errors.ts';

export const operationTags = {
  data: 'Records',
  tables: 'Tables',
  'sign-in': 'Sign-in',
  logs: 'Client logs',
  groups: 'Groups',
  users: 'Users',
  roles: 'Roles',
} as const;

export interface Operation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/{companyId}/{appId}/{appVersion}`, with `:name` for parameters. */
  readonly path: string;
  readonly tag: keyof typeof operationTags;
  readonly summary: string;
  /** Which token settles the caller before anything else; `none` where the operation does it itself. */
  readonly token: 'none' | 'any' | 'user';
  /** True on the two operations that read the query parameter `token` (docs/reference/requests.md#the-token). */
  readonly tokenInQuery: boolean;
  readonly query: TObject;
  readonly body: TObject | null;
  /** Shape of the successful answer. */
  readonly answer: TSchema;
  /** Whether a success may be a redirect. */
  readonly redirects?: true;
  readonly codes: readonly Code[];
  readonly faults: Readonly<Record<Fault, Code>>;
}

type Faults = Readonly<Record<Fault, Code>>;

/** docs/reference/codes.md#where-no-listed-code-fits: where no listed code fits. */
const generalFaults: Faults = {
  malformed: 131,
  missing: 131,
  noTable: 102,
  forbidden: 122,
  busy: 210,
  tooMany: 131,
  internal: 131,
};

export const faults = {
  general: generalFaults,
  read: { ...generalFaults, malformed: 132, missing: 198, busy: 212, internal: 212 },
  /** The single GET lists 198, not 132. */
  readOne: { ...generalFaults, malformed: 198, missing: 198, busy: 212, internal: 212 },
  write: generalFaults,
  delete: { ...generalFaults, malformed: 198, missing: 198, noTable: 202, internal: 220 },
  /** Operations that list 198 for a missing field. */
  signIn: { ...generalFaults, missing: 198, malformed: 198, busy: 201, tooMany: 201, internal: 201 },
  device: { ...generalFaults, busy: 206, internal: 206, tooMany: 201 },
} as const satisfies Record<string, Faults>;

/** The code of an error on this operation. */
export function codeOf(operation: Pick<Operation, 'faults'> | undefined, reason: Code | Fault): Code {
  return typeof reason === 'number' ? reason : (operation?.faults ?? generalFaults)[reason];
}
