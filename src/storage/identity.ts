/**
 * Which installation and which data space a database belongs to. Each database carries both, so that one restored,
 * swapped or copied to the wrong location is refused when opened, and never read as another one.
 */

import type { Compilable } from 'kysely';

export interface Identity {
  /** 32 hexadecimal digits, given to the directory when it was made. */
  readonly installation: string;
  /** Null for the logs. */
  readonly spaceId: number | null;
}

/** The highest ids of the directory seen by a database. A directory that hands out one of them again is out of date. */
export interface HighestIds {
  readonly companyId: number;
  readonly userId: number;
  readonly groupId: number;
  readonly roleId: number;
}

export type SeenId = keyof HighestIds;

/** The table of each id, and the column of `_identity` with the highest. */
export const seenIds: readonly { readonly name: SeenId; readonly table: string; readonly column: string }[] = [
  { name: 'companyId', table: 'company', column: 'company_id_max' },
  { name: 'userId', table: 'user', column: 'user_id_max' },
  { name: 'groupId', table: 'user_group', column: 'group_id_max' },
  { name: 'roleId', table: 'role', column: 'role_id_max' },
];

export const seenColumns = seenIds.map(({ column }) => column).join(', ');

export const noIds: HighestIds = { companyId: 0, userId: 0, groupId: 0, roleId: 0 };

/** @param values in the order of `seenIds` */
export function highestIdsOf(values: readonly unknown[]): HighestIds {
  const [companyId, userId, groupId, roleId] = values.map(Number) as [number, number, number, number];
  return { companyId, userId, groupId, roleId };
}

/** In the order of `seenIds`. */
export function valuesOf(ids: HighestIds): number[] {
  return seenIds.map(({ name }) => ids[name]);
}

export function higher(one: HighestIds, other: HighestIds): HighestIds {
  return highestIdsOf(valuesOf(one).map((value, index) => Math.max(value, valuesOf(other)[index] as number)));
}

/** The ids of a batch's writer. */
export interface Writer {
  readonly userId: number;
  readonly groupIds: readonly number[];
  readonly roleIds: readonly number[];
}

/** `known` raised to the ids of the writer; `known` itself when none is higher. */
export function withWriter(known: HighestIds, { userId, groupIds, roleIds }: Writer): HighestIds {
  let { groupId, roleId } = known;
  for (const id of groupIds) if (id > groupId) groupId = id;
  for (const id of roleIds) if (id > roleId) roleId = id;
  if (userId <= known.userId && groupId === known.groupId && roleId === known.roleId) return known;
  return { companyId: known.companyId, userId: Math.max(userId, known.userId), groupId, roleId };
}

/** Directory tables whose ids are used in records, logs and data spaces. */
const numbered: ReadonlySet<string> = new Set(['data_space', ...seenIds.map(({ table }) => table)]);

/** Whether the statement adds a row that gets such an id. */
export function handsOutId(statement: Compilable<unknown>): boolean {
  const { query } = statement.compile();
  return query?.kind === 'InsertQueryNode' && numbered.has(query.into?.table.identifier.name ?? '');
}

export function sameIdentity(one: Identity, other: Identity): boolean {
  return one.installation === other.installation && one.spaceId === other.spaceId;
}

/** The identity in a store's `_identity`; null for a store without one. */
export function storedIdentity(installation: string | null | undefined, spaceId: unknown): Identity | null {
  if (typeof installation !== 'string') return null;
  return { installation, spaceId: spaceId === null ? null : Number(spaceId) };
}

const remedy =
  'Put back the one that belongs here, from the same backup as the directory. "rowhouse check" examines the whole installation.';

/** Only for the log and the command line. @param found null for a store without identity */
export function wrongIdentity(found: Identity | null, expected: Identity): Error {
  const wanted = `here belongs ${describe(expected)}`;
  return new Error(
    found === null
      ? `It has no identity, as none had before this version; ${wanted}, which was given its identity at the upgrade. ${remedy}`
      : `It is ${describe(found)}; ${wanted}. ${remedy}`,
  );
}

export function occupied(identity: Identity): Error {
  return new Error(
    `There is already ${describe(identity)}, with tables in it, so it can't be created again. The directory may be older than its data spaces; "rowhouse check" shows this.`,
  );
}

function describe({ installation, spaceId }: Identity): string {
  return `${spaceId === null ? 'the logs' : `data space ${spaceId}`} of installation ${installation}`;
}

export const olderDirectory =
  'The directory is older than the data spaces: they have seen ids that it never assigned. These are skipped from now on, so none is reused. Objects created after the backup of the directory are missing; "rowhouse check" lists them.';

export const putBackDirectory =
  'Restore it from the same backup as the data spaces. One from an older backup is accepted, too: ids that it has not assigned are skipped, and data spaces that it does not list stay untouched. A directory of another installation is refused. Then run "rowhouse check", which lists inconsistencies.';
