/**
 * What an operation of the administration interface is: its place, who may call it, what it takes and answers. Routes,
 * checks, the reference and OpenAPI are all made from these, as those of clients are from `wire/operation.ts`.
 */
import type { TObject, TSchema } from 'typebox';
import type { Code, Fault } from '../../errors.ts';
import { faults } from '../operation.ts';

export const adminTags = {
  'sign-in': 'Sign-in',
  me: 'Who is signed in',
  administrators: 'Administrators',
  companies: 'Companies',
  applications: 'Applications',
  versions: 'Application versions',
  tables: 'Tables',
  providers: 'Identity providers and clients',
  groups: 'Groups',
  users: 'Users',
  roles: 'Roles and their permissions',
  devices: 'Devices',
  sessions: 'Sessions',
  logs: 'Client logs',
  audit: 'Audit trail',
} as const;

export interface AdminOperation {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/admin/api`, with `:name` for parameters. */
  readonly path: string;
  readonly tag: keyof typeof adminTags;
  readonly summary: string;
  /**
   * `open`: without a session. `session`: everybody who is signed in. Anything else is an operation of the table in
   * `administration/permissions.ts`, which the feature asks.
   */
  readonly permission: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TObject | null;
  /** Shape of the successful answer, or of one line of an export. */
  readonly answer: TSchema;
  /** Content types of an export, the first unless `format` asks for another; absent where the answer is an envelope. */
  readonly exports?: readonly string[];
  /** Besides those that every operation answers (`codesOfAdmin`). */
  readonly codes: readonly Code[];
  readonly faults: Readonly<Record<Fault, Code>>;
}

/**
 * Of operations that read, that write, and that take a secret of someone who is not signed in
 * (docs/reference/codes.md#where-no-listed-code-fits).
 */
export const adminFaults = {
  read: { ...faults.general, busy: 212, internal: 212 },
  write: faults.general,
  signIn: { ...faults.general, busy: 201, tooMany: 201, internal: 201 },
} as const;
