/** The names of the schemas of an installation, and the conversion of SQL for any store to SQL for one. */

import type { Store } from '../transfer.ts';
import { execute, type Work } from '../work.ts';
import type { Connection, TextRow } from './connections.ts';

export const directorySchema = 'rowhouse_directory';
export const logsSchema = 'rowhouse_logs';

/** The prefix of every data space's schema; the id of the data space follows. */
export const spaceSchemaPrefix = 'rowhouse_space_';

export function spaceSchema(spaceId: number): string {
  if (!Number.isSafeInteger(spaceId)) throw new Error(`${spaceId} is not the id of a data space.`);
  return `${spaceSchemaPrefix}${spaceId}`;
}

export function schemaOf(store: Store): string {
  if (store === 'directory') return directorySchema;
  return store === 'logs' ? logsSchema : spaceSchema(store);
}

/** SQL of the dialect names the schema `"~"`, which no client's name can contain. */
export function inStore(sql: string, store: Store): string {
  return sql.replaceAll('"~".', `"${schemaOf(store)}".`);
}

/** The schema of the data space that a statement uses; never more than one. */
export function schemaIn(sql: string): string | null {
  const start = sql.indexOf(`"${spaceSchemaPrefix}`);
  return start < 0 ? null : sql.slice(start + 1, sql.indexOf('"', start + 1));
}

/** SQL of one store. */
export interface StoreSql {
  run(text: string, values?: readonly (string | null)[]): Promise<readonly TextRow[]>;
  execute<Result>(work: Work<Result>): Promise<Result>;
}

export function sqlIn(connection: Connection, store: Store): StoreSql {
  const run: StoreSql['run'] = async (text, values = []) =>
    (await connection.query({ text: inStore(text, store), values })).rows;
  // The dialect binds only text and null.
  return {
    run,
    execute: (work) => execute(work, ({ sql, values }) => run(sql, values as readonly (string | null)[])),
  };
}
