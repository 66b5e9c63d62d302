/**
 * Opens a data space after a loss of power, as recovered by SQLite, and checks that it is intact and has exactly the
 * transactions that may be there: every acknowledged one, each complete.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tableName } from '../service.ts';
import { type Item, markOf, type Transaction } from './load.ts';

/**
 * @param files of one data space, by path
 * @param scratch folder to open them in, emptied before
 * @param transactions all of the data space
 * @param acknowledged ids of those that must be there
 */
export function judgeStored(
  files: ReadonlyMap<string, Buffer>,
  scratch: string,
  transactions: readonly Transaction[],
  acknowledged: ReadonlySet<string>,
): string[] {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  for (const [path, bytes] of files) writeFileSync(join(scratch, basename(path)), bytes);
  const database = [...files.keys()].find((path) => path.endsWith('.db'));
  if (database === undefined) return acknowledged.size === 0 ? [] : ['The file of the data space is not there.'];
  try {
    const db = new DatabaseSync(join(scratch, basename(database)));
    try {
      // This copy is discarded.
      db.exec('PRAGMA synchronous = OFF');
      return judgeDatabase(db, transactions, acknowledged);
    } finally {
      db.close();
    }
  } catch (error) {
    return [`The data space can't be opened or read: ${error instanceof Error ? error.message : error}`];
  }
}

function judgeDatabase(
  db: DatabaseSync,
  transactions: readonly Transaction[],
  acknowledged: ReadonlySet<string>,
): string[] {
  const soundness = db
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row.integrity_check));
  if (soundness.join() !== 'ok') return [`integrity_check says: ${soundness.slice(0, 3).join('; ')}`];
  const rows = (table: string, sql: string) => (hasTable(db, table) ? db.prepare(sql).all() : []);
  const history = rows('_history', 'SELECT transaction_id FROM _history');
  const present = new Set(history.map((row) => String(row.transaction_id)));
  const found = rows(tableName, `SELECT objectId, mark, count FROM "${tableName}"`);
  const records = new Map(found.map((row) => [String(row.objectId), `${row.mark} with count ${row.count}`]));
  return [
    ...[...acknowledged].filter((id) => !present.has(id)).map((id) => `${id} was acknowledged and is not there.`),
    ...gaps(transactions, present),
    ...differences(transactions, present, records),
  ];
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** A client sends a transaction after the previous one was answered, so none may be stored without those before it. */
function gaps(transactions: readonly Transaction[], present: ReadonlySet<string>): string[] {
  return [...Map.groupBy(transactions, ({ client }) => client).values()].flatMap((own) => {
    const missing = own.findIndex(({ id }) => !present.has(id));
    if (missing < 0) return [];
    const later = own.slice(missing).find(({ id }) => present.has(id));
    return later === undefined ? [] : [`${later.id} is there, and ${own[missing]?.id}, answered before it, is not.`];
  });
}

/** Every record must be as the last stored transaction on it left it. */
function differences(
  transactions: readonly Transaction[],
  present: ReadonlySet<string>,
  records: ReadonlyMap<string, string>,
): string[] {
  const expected = new Map<string, Item & { readonly id: string }>();
  for (const { id, items } of transactions) {
    if (present.has(id)) for (const item of items) expected.set(item.objectId, { ...item, id });
  }
  const wrong: string[] = [];
  for (const [objectId, { id, count }] of expected) {
    const wanted = count === null ? undefined : `${markOf(id)} with count ${count}`;
    const stored = records.get(objectId);
    if (stored !== wanted) wrong.push(`${objectId} is ${stored ?? 'not there'}; ${wanted ?? 'nothing'} was expected.`);
  }
  const foreign = [...records.keys()].filter((objectId) => !expected.has(objectId));
  return [...wrong, ...foreign.map((objectId) => `${objectId} is there, and no transaction that is there wrote it.`)];
}
