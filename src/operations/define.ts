/**
 * What an operation is, on both surfaces: its path, its callers, its input and answer, and the codes that it may return
 * (docs/reference/operations.md, docs/reference/codes.md). Routes, checks, the reference and OpenAPI are all derived
 * from it.
 */
import type { TObject, TSchema } from 'typebox';
import type { Code, Fault } from '../errors.ts';
import { nothing } from './shapes.ts';

/** `client`: below `/api/{companyId}/{appId}/{appVersion}`, with a token. `administration`: below `/admin/api`, with a session. */
export type Surface = 'client' | 'administration';

/** A group of operations with its heading, in the order of the reference. */
export const tags: Readonly<Record<Surface, Readonly<Record<string, string>>>> = {
  client: {
    data: 'Records',
    tables: 'Tables',
    'sign-in': 'Sign-in',
    logs: 'Client logs',
    groups: 'Groups',
    users: 'Users',
    roles: 'Roles',
  },
  administration: {
    'sign-in': 'Sign-in',
    me: 'Who is signed in',
    administrators: 'Administrators',
    companies: 'Companies',
    applications: 'Applications',
    versions: 'Application versions',
    tables: 'Tables',
    records: 'Records',
    providers: 'Identity providers and clients',
    groups: 'Groups',
    users: 'Users',
    roles: 'Roles and their permissions',
    devices: 'Devices',
    sessions: 'Sessions',
    logs: 'Client logs',
    audit: 'Audit trail',
    statistics: 'Statistics',
    service: 'Settings in force, and nodes of a cluster',
  },
};

export interface Operation {
  readonly surface: Surface;
  /** Unique on its surface. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix of the surface, with `:name` for parameters. */
  readonly path: string;
  /** One of `tags`. */
  readonly tag: string;
  readonly summary: string;
  /**
   * Who is authenticated before the body is read. For clients: a user, `any` token, or nobody if the operation reads
   * tokens itself. For the administration: a `session`, or nobody.
   */
  readonly caller: 'none' | 'any' | 'user' | 'session';
  /**
   * The required permission from the table in `administration/permissions.ts`; null if every such caller is permitted.
   */
  readonly permission: string | null;
  /** True on the two operations that read the query parameter `token` (docs/reference/requests.md#the-token). */
  readonly tokenInQuery: boolean;
  /** Parameters in the path; the handlers of clients read their own. */
  readonly params: TObject;
  readonly query: TObject;
  readonly body: TObject | null;
  /** Shape of the successful answer, or of one line of an export. */
  readonly answer: TSchema;
  /**
   * Refuses unknown members and query parameters, whatever the preference of the request or the application version.
   */
  readonly alwaysStrict?: true;
  /** Shape of the answer with 202, if the work may take longer than the request waits. */
  readonly mayGoOn?: TSchema;
  /** Whether a success may be a redirect. */
  readonly redirects?: true;
  /** Content types of an export; the first one unless `format` asks for another; absent where the answer is JSON. */
  readonly exports?: readonly string[];
  /** In addition to those that every operation of its surface returns (`answers.ts`). */
  readonly codes: readonly Code[];
  /** Statuses that an error sets itself, besides its code's own (`ErrorDetails.status`). */
  readonly statuses?: Readonly<Partial<Record<Code, number>>>;
  readonly faults: Faults;
}

type Faults = Readonly<Record<Fault, Code>>;

/** Where no listed code fits (docs/reference/codes.md#where-no-listed-code-fits). */
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
  delete: { ...generalFaults, malformed: 198, missing: 198, noTable: 202, internal: 220 },
  /** Operations that list 198 for a missing field. */
  signIn: { ...generalFaults, missing: 198, malformed: 198, busy: 201, tooMany: 201, internal: 201 },
  device: { ...generalFaults, busy: 206, internal: 206, tooMany: 201 },
  /** Groups and users, for clients that read them. */
  list: { ...generalFaults, busy: 212 },
  adminRead: { ...generalFaults, busy: 212, internal: 212 },
  adminSignIn: { ...generalFaults, busy: 201, tooMany: 201, internal: 201 },
} as const satisfies Record<string, Faults>;

/** The code of an error for this operation. */
export function codeOf(operation: Pick<Operation, 'faults'> | undefined, reason: Code | Fault): Code {
  return typeof reason === 'number' ? reason : (operation?.faults ?? generalFaults)[reason];
}

const absent = { tokenInQuery: false, params: nothing, query: nothing, body: null } as const;
const ofClients = { ...absent, surface: 'client', caller: 'user', permission: null } as const;
const ofAdministration = { ...absent, surface: 'administration', caller: 'session', codes: [] } as const;

type Given = Readonly<Record<string, Partial<Operation>>>;
type Over<Below, Above> = Omit<Below, keyof Above> & Above;
/** Rejects members that an operation does not have, which are misspelled. */
type Known<Members> = { readonly [Name in keyof Members]: Name extends keyof Operation ? Members[Name] : never };
type Defined<Defaults, Common, Operations> = {
  readonly [Name in keyof Operations]: Over<Over<Defaults, Common>, Operations[Name]> & {
    readonly name: Name;
    readonly faults: Faults;
  };
};

/**
 * The client operations of one resource, by name: first their shared members, then each operation. By default they
 * require a user's token, and any fault has the general codes.
 */
export const clientOperations = definer(ofClients, () => faults.general);

/** The administration operations of one resource, by name. Each names the permission that it requires. */
export const administrationOperations = definer(ofAdministration, (method) =>
  method === 'GET' ? faults.adminRead : faults.general,
);

function definer<Defaults>(defaults: Defaults, faultsOf: (method: unknown) => Faults) {
  return <const Common extends Partial<Operation>>(common: Common & Known<Common>) =>
    <const Operations extends Given>(
      operations: Operations & { readonly [Name in keyof Operations]: Known<Operations[Name]> },
    ): Defined<Defaults, Common, Operations> => {
      const entries = Object.entries<Partial<Operation>>(operations).map(([name, operation]) => [
        name,
        { ...defaults, faults: faultsOf(operation.method), ...common, ...operation, name },
      ]);
      return Object.fromEntries(entries);
    };
}
