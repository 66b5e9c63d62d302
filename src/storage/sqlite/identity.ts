/** The identity of a file: read before the file is used, given to one that is made, or that is from before there were any. */
import type { DatabaseSync } from 'node:sqlite';
import {
  type HighestIds,
  highestIdsOf,
  type Identity,
  noIds,
  sameIdentity,
  seenColumns,
  seenIds,
  valuesOf,
  wrongIdentity,
} from '../identity.ts';

/** What a file says of itself; null for one without an identity. */
export function identityOf(db: DatabaseSync): Identity | null {
  if (!hasTable(db, '_identity')) return null;
  const row = db.prepare('SELECT installation, space_id FROM _identity').get();
  if (row === undefined || row.installation === null) return null;
  return { installation: String(row.installation), spaceId: row.space_id as number | null };
}

/**
 * @param mayBeEmpty whether a file that has nothing in it may lack an identity: a start that was killed left it
 * @throws Error that names both identities
 */
export function assertIdentity(db: DatabaseSync, expected: Identity, mayBeEmpty: boolean): void {
  const found = identityOf(db);
  if (found !== null && sameIdentity(found, expected)) return;
  if (found === null && mayBeEmpty && isUnused(db)) return;
  throw wrongIdentity(found, expected);
}

/** Nothing happens to a file that has one. */
export function giveIdentity(db: DatabaseSync, { installation, spaceId }: Identity): void {
  if (identityOf(db) !== null) return;
  db.prepare('UPDATE _identity SET installation = ?, space_id = ? WHERE installation IS NULL').run(
    installation,
    spaceId,
  );
}

/** True for a file in which there never was a table, or an entry of the logs. */
export function isUnused(db: DatabaseSync): boolean {
  if (hasTable(db, '_space')) {
    return db.prepare('SELECT 1 FROM _space WHERE next_table_id > 1 OR commit_seq > 0').get() === undefined;
  }
  return !hasTable(db, 'entry') || db.prepare('SELECT 1 FROM entry LIMIT 1').get() === undefined;
}

export function seenIn(db: DatabaseSync): HighestIds {
  if (!hasTable(db, '_identity')) return noIds;
  const statement = db.prepare(`SELECT ${seenColumns} FROM _identity`);
  statement.setReturnArrays(true);
  return highestIdsOf((statement.get() ?? []) as unknown as unknown[]);
}

const raise = `UPDATE _identity SET ${seenIds.map(({ column }, index) => `${column} = max(${column}, ?${index + 1})`).join(', ')}`;

/** In the transaction that is open. */
export function raiseSeen(db: DatabaseSync, ids: HighestIds): void {
  db.prepare(raise).run(...valuesOf(ids));
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}
