/** Dependencies of the data features, created once at the start. */
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { ServiceError } from '../errors.ts';
import { type Zone, zoneOf } from '../schema/time.ts';
import type { Storage } from '../storage/contract.ts';
import { TableJobs } from './table-jobs.ts';

/** Whether a company may store more. */
export interface StorageQuota {
  /** Why not, or null. */
  storageRefusal(companyId: number): ServiceError | null;
}

/** Seals the cursors of queries (`auth/seal.ts`). */
export interface CursorSeal {
  seal(text: string): string;
  /** @throws Error when the text was not sealed here, or was changed */
  open(sealed: string): string;
}

export interface DataContext {
  readonly storage: Storage;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly zone: Zone;
  readonly seal: CursorSeal;
  readonly quota: StorageQuota;
  readonly tableJobs: TableJobs;
}

const withoutQuota: StorageQuota = { storageRefusal: () => null };

export function dataContext(
  storage: Storage,
  settings: Settings,
  environment: Environment,
  seal: CursorSeal,
  quota: StorageQuota = withoutQuota,
): DataContext {
  return { storage, settings, environment, zone: zoneOf(settings.zone), seal, quota, tableJobs: new TableJobs() };
}
