/** Examines a data folder at rest (`storage/examine.ts`). */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { readDefinition } from '../catalogue.ts';
import type { ExaminedStorage } from '../examine.ts';
import { seqColumn, tableSql } from '../layout.ts';
import type { Store } from '../transfer.ts';
import { executeOn, preparedFor } from './database.ts';
import { sqliteLayout } from './dialect.ts';
import { pathOf, spaceFiles } from './folder.ts';
import { lastOf } from './installation.ts';
import { stepsOf } from './migrations.ts';
import { ServerLock } from './server-lock.ts';
import { refuseUnfinishedMove } from './transfer.ts';

/** How many faults of one file are reported. */
const faultsMax = 20;

/** @throws Error when there are no data, ServiceError while a server uses them */
export async function openExaminedFolder(path: string): Promise<ExaminedStorage> {
  const folder = resolve(path);
  if (!existsSync(pathOf(folder, 'directory'))) throw new Error(`There are no data in ${folder}.`);
  refuseUnfinishedMove(folder);
  const lock = new ServerLock(folder, pino({ level: 'silent' }), { isOwner: false });
  await lock.take();
  /** The one open file, because a folder may have more files than a process may open. */
  let open: { readonly store: Store; readonly db: DatabaseSync } | null = null;

  function database(store: Store): DatabaseSync {
    if (open?.store === store) return open.db;
    open?.db.close();
    open = null;
    open = { store, db: new DatabaseSync(pathOf(folder, store), { readOnly: true }) };
    return open.db;
  }

  return {
    spaces: async () => spaceFiles(folder).sort((one, other) => one - other),
    nameOf: (store) => pathOf(folder, store),
    async layout(store) {
      if ((statSync(pathOf(folder, store), { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
      const present = Number(database(store).prepare('PRAGMA user_version').get()?.user_version);
      return { present, newest: stepsOf(store).length };
    },
    async faults(store) {
      const db = database(store);
      const broken = db.prepare(`PRAGMA integrity_check(${faultsMax})`).all();
      const texts = broken.map(({ integrity_check: text }) => String(text)).filter((text) => text !== 'ok');
      const dangling = db.prepare('PRAGMA foreign_key_check').all().slice(0, faultsMax);
      return [
        ...texts.map((text) => `Its content is damaged: ${text}`),
        ...dangling.map(
          ({ table, parent, rowid }) => `Row ${rowid} of "${table}" refers to a row of "${parent}" that is not there.`,
        ),
      ];
    },
    async rows(store, sql) {
      const statement = database(store).prepare(sql.replaceAll('"~".', ''));
      statement.setReturnArrays(true);
      return statement.all() as unknown as unknown[][];
    },
    async hasTable(store, table) {
      const found = database(store).prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
      return found !== undefined;
    },
    async commits(spaceId) {
      const db = database(spaceId);
      const tables = executeOn(db, readDefinition(sqliteLayout)).catalogue.tables.map(
        (table) => `SELECT max(${seqColumn}) FROM ${tableSql(sqliteLayout, table)}`,
      );
      const highest = ['SELECT max(seq) FROM _tombstone', ...tables]
        .map((sql) => (preparedFor(db, sql).get() as unknown as [number | null])[0] ?? 0)
        .reduce((most, number) => Math.max(most, number), 0);
      return { last: Number(db.prepare('SELECT commit_seq FROM _space').get()?.commit_seq), highest };
    },
    lastId: async (table) => lastOf(database('directory'), table),
    async close() {
      open?.db.close();
      lock.release();
    },
  };
}
