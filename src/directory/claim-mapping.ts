/**
 * What a provider's claims mean in a company: which claims list groups and roles, what each value stands for, and which
 * claims hold names. Checked when it is set; `auth/oidc/claims.ts` reads claims by it.
 */
import { sql } from 'kysely';
import { role } from '../caller.ts';
import { malformed, quoted } from '../errors.ts';
import { refuseUnprintable } from '../text.ts';
import type { DirectoryDatabase } from './ownership.ts';

export interface ClaimMapping {
  /**
   * Claims that list groups and roles, as dotted paths: `groups`, `realm_access.roles`. If empty, claims give nothing.
   */
  readonly claims: readonly string[];
  /** Keyed by the value in such a claim, exactly as written there. */
  readonly values: Readonly<Record<string, readonly MappedMembership[]>>;
  /** Role for values that name none. */
  readonly defaultRole: number;
  /** A sign-in removes roles that came from claims and are no longer in them; roles given by hand always stay. */
  readonly keepInStep: boolean;
  /** Dotted paths too. */
  readonly names: Readonly<Partial<Record<NameClaim, string>>>;
}

export interface MappedMembership {
  readonly group: number;
  /** `defaultRole` when absent. */
  readonly role?: number;
}

const nameClaims = ['given', 'family', 'account', 'email', 'emailVerified'] as const;
export type NameClaim = (typeof nameClaims)[number];

export const noClaimMapping: ClaimMapping = {
  claims: [],
  values: {},
  defaultRole: role.user,
  keepInStep: true,
  names: {},
};

const claimsMax = 8;
const pathLengthMax = 200;
const valuesMax = 1_000;
const valueLengthMax = 300;
const membershipsOfValueMax = 20;

/**
 * The mapping in a text or object, with groups and roles as ids; `{}` maps nothing. The input may name groups and
 * roles.
 * @throws ServiceError `malformed`, naming the field.
 */
export async function checkedClaimMapping(
  db: DirectoryDatabase,
  companyId: number,
  input: unknown,
): Promise<ClaimMapping> {
  const given = objectOf('claimMapping', typeof input === 'string' ? parsedClaimMapping(input) : input);
  const wanted = ['claims', 'values', 'defaultRole', 'keepInStep', 'names'];
  refuseOthers('claimMapping', given, wanted);
  const { groups, roles } = await namedIn(db, companyId);
  const claims = checkedClaims(given.claims ?? []);
  const values = checkedValues(given.values ?? {}, groups, roles);
  if (Object.keys(values).length > 0 && claims.length === 0) {
    throw malformed('claimMapping.claims', 'expected at least one claim that holds the values.');
  }
  const { defaultRole = role.user, keepInStep = true } = given;
  if (typeof keepInStep !== 'boolean') {
    throw malformed('claimMapping.keepInStep', `expected true or false, got ${quoted(keepInStep)}.`);
  }
  return {
    claims,
    values,
    defaultRole: roles.find('claimMapping.defaultRole', defaultRole),
    keepInStep,
    names: checkedNames(given.names ?? {}),
  };
}

/** Parses `checkedClaimMapping`'s result. */
export function storedClaimMapping(text: string): ClaimMapping {
  return { ...noClaimMapping, ...(JSON.parse(text) as Partial<ClaimMapping>) };
}

/** @throws ServiceError `malformed` */
export function parsedClaimMapping(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('claimMapping', 'expected a JSON object, got other text.');
  }
}

function objectOf(field: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(field, `expected an object, got ${quoted(value)}.`);
  }
  return value as Readonly<Record<string, unknown>>;
}

function refuseOthers(field: string, given: object, wanted: readonly string[]): void {
  const other = Object.keys(given).find((name) => !wanted.includes(name));
  if (other !== undefined) {
    throw malformed(field, `expected ${wanted.join(', ')}, got ${quoted(other)}.`);
  }
}

function checkedClaims(value: unknown): string[] {
  const field = 'claimMapping.claims';
  const claims = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(claims) || claims.length > claimsMax) {
    throw malformed(field, `expected a list of at most ${claimsMax} claims.`);
  }
  return [...new Set(claims.map((claim, index) => checkedPath(`${field}[${index}]`, claim)))];
}

function checkedPath(field: string, value: unknown): string {
  if (typeof value !== 'string' || value.length > pathLengthMax || !/^[^\s.]+(\.[^\s.]+)*$/.test(value)) {
    throw malformed(
      field,
      `expected a claim like groups or realm_access.roles, of at most ${pathLengthMax} characters, got ${quoted(value)}.`,
    );
  }
  refuseUnprintable(field, value);
  return value;
}

function checkedValues(value: unknown, groups: Named, roles: Named): ClaimMapping['values'] {
  const field = 'claimMapping.values';
  const entries = Object.entries(objectOf(field, value));
  if (entries.length > valuesMax) {
    throw malformed(field, `expected at most ${valuesMax} values, got ${entries.length}.`);
  }
  return Object.fromEntries(
    entries.map(([claimed, memberships]) => {
      const path = `${field}[${quoted(claimed)}]`;
      if (claimed === '' || claimed.length > valueLengthMax) {
        throw malformed(path, `expected a value of 1 to ${valueLengthMax} characters.`);
      }
      const list = Array.isArray(memberships) ? memberships : [memberships];
      if (list.length === 0 || list.length > membershipsOfValueMax) {
        throw malformed(path, `expected 1 to ${membershipsOfValueMax} groups with their roles.`);
      }
      refuseUnprintable(path, claimed);
      return [claimed, list.map((one) => checkedMembership(path, one, groups, roles))];
    }),
  );
}

function checkedMembership(path: string, value: unknown, groups: Named, roles: Named): MappedMembership {
  const given = objectOf(path, value);
  refuseOthers(path, given, ['group', 'role']);
  return {
    group: groups.find(`${path}.group`, given.group),
    ...(given.role === undefined ? {} : { role: roles.find(`${path}.role`, given.role) }),
  };
}

function checkedNames(value: unknown): ClaimMapping['names'] {
  const field = 'claimMapping.names';
  const given = objectOf(field, value);
  refuseOthers(field, given, nameClaims);
  return Object.fromEntries(Object.entries(given).map(([name, path]) => [name, checkedPath(`${field}.${name}`, path)]));
}

/** Groups or roles of a company, by id or name. */
interface Named {
  /** Returns the id. @throws ServiceError `malformed`. */
  find(field: string, value: unknown): number;
}

async function namedIn(db: DirectoryDatabase, companyId: number): Promise<{ groups: Named; roles: Named }> {
  const roles = db.build
    .selectFrom('role')
    .select(['id', 'name', sql<string>`'role'`.as('what')])
    .where((where) => where.or([where('company_id', 'is', null), where('company_id', '=', companyId)]));
  const groups = db.build
    .selectFrom('user_group')
    .select(['id', 'name', sql<string>`'group'`.as('what')])
    .where('company_id', '=', companyId);
  const rows = await db.read(groups.unionAll(roles));
  const named = (what: string) =>
    namedOf(
      what,
      companyId,
      rows.filter((row) => row.what === what),
    );
  return { groups: named('group'), roles: named('role') };
}

/** No name consists only of digits, so an id may be sent as text. */
function namedOf(what: string, companyId: number, rows: readonly { id: number; name: string }[]): Named {
  const ids = new Map(rows.flatMap(({ id, name }) => [[String(id), id] as const, [name, id] as const]));
  return {
    find(field, value) {
      const id = typeof value === 'string' || typeof value === 'number' ? ids.get(String(value)) : undefined;
      if (id === undefined) {
        throw malformed(field, `expected a ${what} of company ${companyId}, by id or name, got ${quoted(value)}.`);
      }
      return id;
    },
  };
}
