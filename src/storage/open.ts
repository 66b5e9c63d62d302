/** Chooses the engine that the setting `storage` names, and opens it: the one door to storage. */
import type { Logger } from 'pino';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Storage } from './contract.ts';
import { openSqlite } from './sqlite/engine.ts';

/**
 * Several processes may open one folder, for the command line beside a running server; but only one may write to data
 * spaces. It takes that right with its first `check()`, definition change or batch; the others are refused there.
 * @throws Error when the setting names no engine that there is, or the engine can't be opened
 */
export async function openStorage(settings: Settings, environment: Environment, log: Logger): Promise<Storage> {
  const [engine, ...rest] = settings.storage.split(':');
  const place = rest.join(':');
  // What stands after the colon may hold a password, so it is not repeated.
  if (engine !== 'sqlite') {
    throw new Error(`storage: an engine "${engine}" came; expected "sqlite:<folder>".`);
  }
  if (place === '') throw new Error('storage: "sqlite:" came without a folder; expected "sqlite:<folder>".');
  return openSqlite(place, settings, environment, log);
}
