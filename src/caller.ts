/** The caller: settled from header and path before a body is read, and the first argument of every feature. */

export interface Membership {
  readonly groupId: number;
  readonly groupName: string;
  readonly roleId: number;
  readonly roleName: string;
}

/** Ids of the groups in which roles are held, ascending, without repeats. */
export function groupIdsIn(memberships: readonly Pick<Membership, 'groupId'>[]): number[] {
  return [...new Set(memberships.map(({ groupId }) => groupId))].sort((a, b) => a - b);
}

/** With the role's description, as a login returns it. */
export interface DescribedMembership extends Membership {
  readonly description: string;
}

/** The application version in a path; the token of the request is valid for exactly this version. */
export interface Tenant {
  readonly companyId: number;
  readonly appId: string;
  /** Dotted form, `1.0.0`. */
  readonly appVersion: string;
  /** Number of the data space that holds the version's tables. */
  readonly spaceId: number;
}

/** A caller with a valid token of either kind. */
export interface TokenHolder extends Tenant {
  /** SHA-256 of the token, 64 hex digits. The token itself is not kept. */
  readonly tokenHash: string;
  readonly deviceUdid: string;
  /** Whether the version handles requests strictly by default. */
  readonly strictHandling: boolean;
}

/** A caller with an anonymous token. */
export interface AnonymousCaller extends TokenHolder {
  readonly kind: 'anonymous';
}

export type TableRight = 'read' | 'add' | 'update' | 'delete';

/** Rights on the tables of an application, by table name in lower case; `*` stands for every table. */
export type TableRights = ReadonlyMap<string, ReadonlySet<TableRight>>;

/** A caller with a user token: the result of a completed login. */
export interface Caller extends TokenHolder {
  readonly kind: 'user';
  readonly userId: number;
  readonly account: string;
  readonly memberships: readonly Membership[];
  /** Ids of the caller's groups, ascending, without repeats. */
  readonly groupIds: readonly number[];
  /** What the roles permit on tables, in addition to the caller's visibility; null permits everything. */
  readonly tableRights: TableRights | null;
}

export type AnyCaller = AnonymousCaller | Caller;

/** Where a request comes from. */
export interface From {
  /** The client's IP address; null where it is unknown. */
  readonly address: string | null;
}

export const unknownAddress: From = { address: null };

export const role = { appAdmin: 1, superAdmin: 2, admin: 3, manager: 4, user: 5, developer: 6 } as const;
