/** Dependencies of the data features, created once at the start. */
import type { Tenant } from '../caller.ts';
import type { Settings } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { ServiceError } from '../errors.ts';
import type { JoinedColumns } from '../query/joined-columns.ts';
import { type Zone, zoneOf } from '../schema/time.ts';
import type { Storage } from '../storage/contract.ts';
import { openRunningJobs, type RunningJobs } from './running-jobs.ts';
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

export type VersionTables = Pick<Tenant, 'spaceId' | 'appVersion'>;

export interface JoinQueries {
  readonly joined: JoinedColumns;
  readonly queries: number;
}

/** On which columns the queries of each version join tables (`statistics/joins.ts`). */
export interface JoinCounts {
  /** Counts a query; called only for those with joins. */
  count(version: VersionTables, joins: readonly JoinedColumns[]): void;
  /**
   * The joins of the past month, the most frequent first. The latest counts of other processes are missing until they
   * store them.
   * @throws ServiceError `busy`, `internal`
   */
  read(version: VersionTables): Promise<readonly JoinQueries[]>;
}

export interface DataContext {
  readonly storage: Storage;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly zone: Zone;
  readonly seal: CursorSeal;
  readonly quota: StorageQuota;
  readonly joins: JoinCounts;
  readonly tableJobs: TableJobs;
  readonly runningJobs: RunningJobs;
}

const withoutQuota: StorageQuota = { storageRefusal: () => null };
const withoutJoins: JoinCounts = { count() {}, read: async () => [] };

export function dataContext(
  storage: Storage,
  settings: Settings,
  environment: Environment,
  seal: CursorSeal,
  quota: StorageQuota = withoutQuota,
  joins: JoinCounts = withoutJoins,
  runningJobs = openRunningJobs({ storage, environment, log: { warn() {} } }),
): DataContext {
  return {
    storage,
    settings,
    environment,
    zone: zoneOf(settings.zone),
    seal,
    quota,
    joins,
    tableJobs: new TableJobs(),
    runningJobs,
  };
}
