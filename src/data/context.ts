/** What the data features work with, made once at the start. */
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import { type Zone, zoneOf } from '../schema/time.ts';
import type { Storage } from '../storage/contract.ts';

export interface DataContext {
  readonly storage: Storage;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly zone: Zone;
}

export function dataContext(storage: Storage, settings: Settings, environment: Environment): DataContext {
  return { storage, settings, environment, zone: zoneOf(settings.zone) };
}
