/** Reads and writes the table `attempt`, in which all instances count together, and deletes its old rows. */
import type { Settings } from '../../config.ts';
import type { Relational } from '../../storage/contract.ts';
import type { DirectoryTables } from '../../storage/tables.ts';
import { rowsPerWrite } from '../pruning.ts';
import type { KeyKind } from './keys.ts';

type Database = Relational<DirectoryTables>;

export interface StoredAttempt {
  /** For an address the start of the counted minute, otherwise the last attempt; milliseconds. */
  readonly window_start: number;
  readonly count: number;
  readonly blocked_until: number;
}

export async function storedAttempts(db: Database, keys: readonly string[]): Promise<Map<string, StoredAttempt>> {
  const rows = await db.read(db.build.selectFrom('attempt').selectAll().where('key', 'in', keys));
  return new Map(rows.map(({ key, ...row }) => [key, row]));
}

export function forgetAttempts(db: Database, keys: readonly string[]) {
  return db.build.deleteFrom('attempt').where('key', 'in', keys);
}

/** Writes the row unless it was changed in between; its `changed` is 1 when it was written. */
export function putUnlessChanged(db: Database, key: string, before: StoredAttempt | undefined, row: StoredAttempt) {
  if (before === undefined) {
    return db.build
      .insertInto('attempt')
      .values({ key, ...row })
      .onConflict((conflict) => conflict.doNothing());
  }
  return db.build
    .updateTable('attempt')
    .set(row)
    .where('key', '=', key)
    .where('count', '=', before.count)
    .where('window_start', '=', before.window_start)
    .where('blocked_until', '=', before.blocked_until);
}

export function put(db: Database, key: string, row: StoredAttempt) {
  return db.build
    .insertInto('attempt')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row));
}

/** Adds to the count of the same window, or begins a newer one; returns the window's count. */
export function addToWindow(db: Database, key: string, windowStart: number, count: number) {
  return db.build
    .insertInto('attempt')
    .values({ key, window_start: windowStart, count })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        count: row
          .case()
          .when('attempt.window_start', '<', row.ref('excluded.window_start'))
          .then(row.ref('excluded.count'))
          .else(row('attempt.count', '+', row.ref('excluded.count')))
          .end(),
        window_start: row
          .case()
          .when('attempt.window_start', '<', row.ref('excluded.window_start'))
          .then(row.ref('excluded.window_start'))
          .else(row.ref('attempt.window_start'))
          .end(),
      })),
    )
    .returning(['key', 'window_start', 'count']);
}

const hourMs = 3_600_000;

/** How long an address is known after the last sign-in from there. */
export const knownForMs = 30 * 24 * hourMs;

/** After this long without an attempt, the failures at an account are forgotten. */
export function failuresKeptMs({ attemptDelayMaxMs }: Pick<Settings, 'attemptDelayMaxMs'>): number {
  return 4 * attemptDelayMaxMs;
}

/** Deletes one batch and returns its number of rows: `rowsPerWrite` at most. */
export async function forgetOld(
  db: Database,
  settings: Pick<Settings, 'attemptDelayMaxMs'>,
  now: number,
): Promise<number> {
  const failures = failuresKeptMs(settings);
  const kept: readonly (readonly [KeyKind, number])[] = [
    ['address', hourMs],
    ['pair', failures],
    ['account', failures],
    ['known', knownForMs],
  ];
  const old = db.build
    .selectFrom('attempt')
    .select('key')
    .where((row) =>
      row.or(
        kept.map(([kind, keptMs]) =>
          row.and([row('key', '>=', `${kind}:`), row('key', '<', `${kind};`), row('window_start', '<', now - keptMs)]),
        ),
      ),
    )
    .limit(rowsPerWrite);
  const [forgotten] = await db.write([db.build.deleteFrom('attempt').where('key', 'in', old)]);
  return forgotten?.changed ?? 0;
}
