/** Opens the engine named by the setting `storage`. Only this module imports engines. */
import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from './contract.ts';
import type { ExaminedStorage } from './examine.ts';
import { parseLocation, redactedLocation, type StorageLocation } from './location.ts';
import { hasDirectory, openPostgres } from './postgres/engine.ts';
import { openExaminedDatabase } from './postgres/examine.ts';
import { openDatabaseSource, openDatabaseTarget } from './postgres/transfer.ts';
import { openSqlite } from './sqlite/engine.ts';
import { openExaminedFolder } from './sqlite/examine.ts';
import { openFolderSource, openFolderTarget } from './sqlite/transfer.ts';
import type { TransferSource, TransferTarget } from './transfer.ts';

/**
 * Several processes may open the same storage. On SQLite this serves the command line beside a running server: only one
 * process may write to data spaces. It gains that right with its first `check()`, definition change or batch; the
 * others are then refused.
 * @throws Error when the setting names an unknown engine, or the engine can't be opened
 */
export async function openStorage(settings: Settings, environment: Environment, log: Logger): Promise<Storage> {
  const location = parseLocation(settings.storage);
  if (location.engine === 'sqlite') return openSqlite(location.folder, settings, environment, log);
  return openPostgres(location.url, settings, environment, log);
}

/** Whether data were ever created there; opening the storage creates them. @throws Error when it can't be reached */
export async function hasData(settings: Settings): Promise<boolean> {
  const location = parseLocation(settings.storage);
  return location.engine === 'sqlite' ? existsSync(location.folder) : hasDirectory(location.url, settings);
}

/** The source of a move. @throws Error when there are no data, or a service is using them */
export async function openTransferSource(location: StorageLocation, settings: Settings): Promise<TransferSource> {
  if (location.engine === 'sqlite') return openFolderSource(location.folder, settings);
  return openDatabaseSource(location.url, redactedLocation(location), settings);
}

/** The target of a move. @throws Error when it can't be reached or made, or is in use */
export async function openTransferTarget(location: StorageLocation, settings: Settings): Promise<TransferTarget> {
  if (location.engine === 'sqlite') return openFolderTarget(location.folder, settings);
  return openDatabaseTarget(location.url, redactedLocation(location), settings);
}

/** The storage for `examine`. @throws Error when there are no data, or a service is using them */
export async function openExaminedStorage(location: StorageLocation, settings: Settings): Promise<ExaminedStorage> {
  if (location.engine === 'sqlite') return openExaminedFolder(location.folder);
  return openExaminedDatabase(location.url, redactedLocation(location), settings);
}
