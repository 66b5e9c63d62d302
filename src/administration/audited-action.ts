/** What the administration works with, and how an administrative act gets its entry in the audit trail. */
import type { Logger } from 'pino';
import type { Actor } from '../actor.ts';
import { type AuditEntry, audited } from '../audit/trail.ts';
import type { Auth } from '../auth/open.ts';
import type { Settings } from '../config.ts';
import type { DataContext } from '../data/context.ts';
import { type Directory, openDirectory } from '../directory/directory.ts';
import type { DirectoryDatabase } from '../directory/ownership.ts';
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

/** What of an act goes into the audit trail. */
export type AuditedAction = Pick<AuditEntry, 'action' | 'target' | 'companyId' | 'appId' | 'detail'>;

/**
 * Does the one write of an act, or of several that belong together, on a directory that writes an entry for each into the
 * same transaction. What does not happen must undo its transaction (`expectOne` in `directory/revisions.ts`), so that
 * it leaves no entry either.
 * @param further statements that belong into the same transaction
 */
export function withAudit<Result>(
  deps: Pick<AdministrationDeps, 'storage' | 'environment'>,
  actor: Actor,
  action: AuditedAction | readonly AuditedAction[],
  work: (directory: Directory, db: DirectoryDatabase) => Promise<Result>,
  further: readonly WriteStatement[] = [],
): Promise<Result> {
  const { storage, environment } = deps;
  const time = environment.now();
  const actions = [action].flat();
  const auditing = actions.reduceRight(
    (db, one) => audited(db, { ...one, actor, time, outcome: 'done' }),
    storage.directory,
  );
  const db = {
    ...auditing,
    write: (statements: readonly WriteStatement[]) => auditing.write([...statements, ...further]),
  };
  return work(openDirectory({ directory: db, spaces: storage.spaces }, environment), db);
}
