/** A data folder as the source or the target of a move: held by the server's lock, so that no service works on it. */
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import type { Settings } from '../../config.ts';
import { type MoveMark, type TransferSource, type TransferTarget, unfinishedMove } from '../transfer.ts';
import { tableTarget } from '../transfer-work.ts';
import { sqliteLayout } from './dialect.ts';
import { makeFolder, pathOf, syncFile, syncFolder } from './folder.ts';
import { settleInstallation } from './installation.ts';
import { ServerLock } from './server-lock.ts';
import { FolderReader, FolderWriter } from './transfer-rows.ts';

const silent = pino({ level: 'silent' });

/** Holds the mark while a move into the folder is unfinished. */
const markFile = 'unfinished-move.json';

/** What an empty folder may hold: files of the machine and of the lock, and a key that was put there in advance. */
const harmless: readonly string[] = [markFile, 'server.lock', 'server.lock-journal', 'secret.key', 'lost+found'];

/** @throws Error while a move into the folder is unfinished */
export function refuseUnfinishedMove(folder: string): void {
  if (existsSync(join(folder, markFile))) throw new Error(unfinishedMove);
}

/** @throws Error when there are no data, ServiceError when a server works on them */
export async function openFolderSource(path: string, settings: Settings): Promise<TransferSource> {
  const folder = resolve(path);
  refuseUnfinishedMove(folder);
  if (!existsSync(pathOf(folder, 'directory'))) throw new Error(`There are no data in ${folder}.`);
  const lock = new ServerLock(folder, silent);
  await lock.take();
  settleInstallation(folder, silent);
  return {
    name: realpathSync(folder),
    reading: (work) => readingFrom(folder, settings, work),
    close: async () => lock.release(),
  };
}

/** @throws ServiceError when a server works on it, Error when the folder cannot be created */
export async function openFolderTarget(path: string, settings: Settings): Promise<TransferTarget> {
  // Checked before we write anything to the folder, which may be the wrong one.
  if (existsSync(path) && !existsSync(join(path, markFile))) refuseOccupied(path);
  const folder = makeFolder(path);
  const lock = new ServerLock(folder, silent);
  await lock.take();
  const writer = new FolderWriter(folder, settings.pageCacheBytes / 2);
  const tables = tableTarget({
    layout: sqliteLayout,
    run: async (store, work) => writer.execute(store, work),
    transact: async (store, work) => writer.transact(store, work),
  });
  const markPath = join(folder, markFile);
  return {
    name: realpathSync(folder),
    reading: (work) => readingFrom(folder, settings, work),
    async mark() {
      if (existsSync(markPath)) return JSON.parse(readFileSync(markPath, 'utf8')) as MoveMark;
      refuseOccupied(folder);
      return null;
    },
    async begin(mark) {
      writeFileSync(`${markPath}.new`, JSON.stringify(mark), { mode: 0o600 });
      syncFile(`${markPath}.new`);
      renameSync(`${markPath}.new`, markPath);
      syncFolder(folder);
    },
    ...tables,
    makeStore: async (store) => writer.makeStore(store),
    write: async (store, table, rows) => writer.write(store, table, rows),
    async completeSpace(spaceId, state) {
      await tables.completeSpace(spaceId, state);
      writer.setLastCommit(spaceId, state.lastCommit);
    },
    setSequences: async (store, sequences) => writer.setSequences(store, sequences),
    async finish() {
      writer.close();
      rmSync(markPath);
      syncFolder(folder);
    },
    async close() {
      writer.close();
      lock.release();
    },
  };
}

async function readingFrom<R>(
  folder: string,
  settings: Settings,
  work: (reader: FolderReader) => Promise<R>,
): Promise<R> {
  const reader = new FolderReader(folder, settings.pageCacheBytes / 4);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}

function refuseOccupied(folder: string): void {
  const found = [
    ...readdirSync(folder).filter(
      (name) => name !== 'spaces' && !harmless.includes(name) && name !== `${markFile}.new`,
    ),
    ...(existsSync(join(folder, 'spaces')) ? readdirSync(join(folder, 'spaces')) : []).map((name) => `spaces/${name}`),
  ];
  if (found.length === 0) return;
  throw new Error(
    `The folder ${folder} is not empty: it has ${found[0]}. A move overwrites nothing; name another one.`,
  );
}
