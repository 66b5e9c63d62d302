/** Tables of the directory for work that is under way. */
import type { Ddl } from './ddl.ts';

/**
 * Intended writes of administrators to records, until their entry is in the audit trail
 * (`administration/intents.ts`).
 */
export function recordIntents({ number, text, table, id }: Ddl): string {
  return table(
    'record_intent',
    id(),
    `time ${number} NOT NULL`,
    `space_id ${number} NOT NULL`,
    `transaction_id ${text} NOT NULL`,
    `entry ${text} NOT NULL`,
  );
}

/** Long jobs, so that every instance can answer for them (`data/running-jobs.ts`). */
export function runningJobs({ number, text, table, flag }: Ddl): string {
  return table(
    'running_job',
    `id ${text} NOT NULL PRIMARY KEY`,
    `kind ${text} NOT NULL`,
    `space_id ${number}`,
    `target ${text}`,
    `begun ${number} NOT NULL`,
    `progress ${text} NOT NULL`,
    `state ${text} NOT NULL`,
    `error ${text}`,
    `seen ${number} NOT NULL`,
    flag('cancel'),
  );
}
