/** Chooses the engine that the setting `storage` names, and opens it: the one door to storage. */
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from './contract.ts';
import type { ExaminedPlace } from './examine.ts';
import { type Place, placeOf, shownPlace } from './place.ts';
import { hasDirectory, openPostgres } from './postgres/engine.ts';
import { openExaminedDatabase } from './postgres/examine.ts';
import { openDatabaseSource, openDatabaseTarget } from './postgres/transfer.ts';
import { openSqlite } from './sqlite/engine.ts';
import { openExaminedFolder } from './sqlite/examine.ts';
import { openFolderSource, openFolderTarget } from './sqlite/transfer.ts';
import type { TransferPlace, TransferTarget } from './transfer.ts';

/**
 * Several processes may open the same storage. On SQLite that is for the command line beside a running server: only one
 * may write to data spaces. It takes that right with its first `check()`, definition change or batch; the others are
 * refused there.
 * @throws Error when the setting names no engine that there is, or the engine can't be opened
 */
export async function openStorage(settings: Settings, environment: Environment, log: Logger): Promise<Storage> {
  const place = placeOf(settings.storage);
  if (place.engine === 'sqlite') return openSqlite(place.folder, settings, environment, log);
  return openPostgres(place.url, settings, environment, log);
}

/** Whether data were ever made there; opening the storage would make them. @throws Error when it can't be reached */
export async function hasData(settings: Settings): Promise<boolean> {
  const place = placeOf(settings.storage);
  return place.engine === 'sqlite' ? existsSync(place.folder) : hasDirectory(place.url, settings);
}

/** Where a move reads. @throws Error when there are no data, or a service is at work on them */
export async function openTransferSource(place: Place, settings: Settings): Promise<TransferPlace> {
  if (place.engine === 'sqlite') return openFolderSource(place.folder, settings);
  return openDatabaseSource(place.url, shownPlace(place), settings);
}

/** Where a move writes. @throws Error when it can't be reached or made, or is in use */
export async function openTransferTarget(place: Place, settings: Settings): Promise<TransferTarget> {
  if (place.engine === 'sqlite') return openFolderTarget(place.folder, settings);
  return openDatabaseTarget(place.url, shownPlace(place), settings);
}

/** What `examine` looks at. @throws Error when there are no data, or a service is at work on them */
export async function openExaminedPlace(place: Place, settings: Settings): Promise<ExaminedPlace> {
  if (place.engine === 'sqlite') return openExaminedFolder(place.folder);
  return openExaminedDatabase(place.url, shownPlace(place), settings);
}
