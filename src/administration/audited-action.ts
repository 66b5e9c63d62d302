/** Dependencies of the administration, and how an administrative act gets its entry in the audit trail. */
import type { Logger } from 'pino';
import { type AuditEntry, auditInsert } from '../audit/trail.ts';
import type { Auth } from '../auth/open.ts';
import type { Settings } from '../config.ts';
import type { DataContext } from '../data/context.ts';
import type { Directory } from '../directory/directory.ts';
import type { Environment } from '../environment.ts';
import type { Logs } from '../logs/logs.ts';
import type { Storage, WriteStatement } from '../storage/contract.ts';

export interface AdministrationDeps {
  readonly storage: Storage;
  readonly directory: Directory;
  readonly auth: Auth;
  readonly logs: Logs;
  readonly data: DataContext;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly log: Logger;
}

/** The dependencies that a feature uses. */
export type Deps<Names extends keyof AdministrationDeps> = Pick<AdministrationDeps, Names>;

/** For a feature that changes the directory: the change, and what its audit entry needs. */
export type ChangeDeps = Deps<'storage' | 'directory' | 'environment'>;

/** What an act puts into the audit trail. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'target' | 'companyId' | 'appId' | 'detail'>;

/**
 * The act's entry in the audit trail: a statement for the act's own transaction. An act that does not happen must roll
 * that transaction back (`expectOne` in `directory/revisions.ts`), so that it leaves no entry either.
 */
export function auditEntry(
  { storage, environment }: Deps<'storage' | 'environment'>,
  actor: AuditEntry['actor'],
  action: AuditedAction,
  time = environment.now(),
): WriteStatement {
  return auditInsert(storage.directory, { ...action, actor, time, outcome: 'done' });
}
