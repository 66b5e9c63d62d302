/**
 * Gives the installation in a folder an identity, and its files a copy of it. Files older than identities get theirs
 * once, at the upgrade. Afterwards, a file without one is refused, whatever it contains.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import { type HighestIds, highestIdsOf, seenIds } from '../identity.ts';
import { giveIdentity, identityOf, openAtStart, openDatabase, raiseSeen } from './database.ts';
import { type FileName, pathOf } from './folder.ts';
import { stepsOf } from './migrations.ts';

const pageCacheBytes = 1024 * 1024;

/**
 * Creates the directory if it is missing.
 * @returns the id of the installation
 * @throws Error when the directory cannot be opened
 */
export function settleInstallation(folder: string, log: Pick<Logger, 'info' | 'warn'>): string {
  const directory = openAtStart(pathOf(folder, 'directory'), stepsOf('directory'), {
    create: true,
    use: 'write',
    pageCacheBytes,
  });
  try {
    const { id, is_settled: isSettled } = directory.prepare('SELECT id, is_settled FROM installation').get() as {
      readonly id: string;
      readonly is_settled: number;
    };
    if (isSettled === 0) settleFiles(folder, id, directory, log);
    return id;
  } finally {
    directory.close();
  }
}

/** May be interrupted and started again. A file that cannot be opened is reported, and refused on every use. */
function settleFiles(
  folder: string,
  installation: string,
  directory: DatabaseSync,
  log: Pick<Logger, 'info' | 'warn'>,
): void {
  const spaces = directory
    .prepare('SELECT id FROM data_space ORDER BY id')
    .all()
    .map(({ id }) => Number(id));
  const ids = handedOut(directory);
  log.info(
    { installation, dataSpaces: spaces.length },
    'The id of the installation is being written to its data spaces, which have none.',
  );
  for (const file of ['logs', ...spaces] as const) {
    if ((statSync(pathOf(folder, file), { throwIfNoEntry: false })?.size ?? 0) === 0) continue;
    try {
      settleFile(folder, file, installation, ids);
    } catch (error) {
      log.warn({ err: error, file: pathOf(folder, file) }, 'A file was not given the id of the installation.');
    }
  }
  directory.exec('UPDATE installation SET is_settled = 1');
}

function settleFile(folder: string, file: FileName, installation: string, ids: HighestIds): void {
  const db = openDatabase(pathOf(folder, file), stepsOf(file), { create: false, use: 'write', pageCacheBytes });
  try {
    db.exec('BEGIN IMMEDIATE');
    if (identityOf(db) === null) {
      giveIdentity(db, { installation, spaceId: typeof file === 'number' ? file : null });
      // The ids that the file has seen were not recorded, so every id handed out counts as seen.
      raiseSeen(db, ids);
    }
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

/** The highest ids that the directory ever issued. */
function handedOut(directory: DatabaseSync): HighestIds {
  return highestIdsOf(seenIds.map(({ table }) => lastOf(directory, table)));
}

/** The last id from the table's counter. */
export function lastOf(directory: DatabaseSync, table: string): number {
  return Number(directory.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)?.seq ?? 0);
}

/** The id of the installation; nothing is changed. */
export function installationIn(folder: string): string {
  return readingDirectory(folder, (directory) => String(directory.prepare('SELECT id FROM installation').get()?.id));
}

/** Like `handedOut`, for a folder whose directory other processes may have open. */
export function highestIdsIn(folder: string): HighestIds {
  return readingDirectory(folder, handedOut);
}

function readingDirectory<Result>(folder: string, read: (directory: DatabaseSync) => Result): Result {
  const directory = new DatabaseSync(pathOf(folder, 'directory'), { readOnly: true });
  try {
    return read(directory);
  } finally {
    directory.close();
  }
}
