/** Sends the statements that read data spaces, and keeps the frequent ones prepared (`named-statements.ts`). */
import type { Settings } from '../../config.ts';
import type { Statement } from '../../query/statement.ts';
import type { Connections, Sql, Transactions } from './connections.ts';
import { isOutdatedPlan } from './failure.ts';
import { NamedStatements, type Read } from './named-statements.ts';

/** Reads one data space. */
export interface Reader {
  readonly connections: Transactions;
  /** The statement as it is sent, to be read row by row. */
  sql(statement: Read, values: readonly (string | null)[]): Sql;
}

export interface Reads {
  /** How many connections there are. */
  readonly max: number;
  /**
   * Resolves to the result of `work`. Runs it again from the beginning if it may then succeed: when a table with
   * prepared statements was recreated, or, on a cluster, the data space was moved.
   * @param statements that `work` sends
   * @throws what `work` threw
   */
  run<R>(
    spaceId: number,
    statements: readonly Pick<Statement, 'id'>[],
    work: (reader: Reader) => Promise<R>,
  ): Promise<R>;
}

/** All on the same connections. */
export function readsThrough(connections: Connections, settings: Pick<Settings, 'databasePreparedMax'>): Reads {
  const named = new NamedStatements(settings.databasePreparedMax);
  return {
    max: connections.max,
    async run(spaceId, statements, work) {
      const reader: Reader = { connections, sql: (statement, values) => named.sql(spaceId, statement, values) };
      try {
        return await work(reader);
      } catch (error) {
        if (!isOutdatedPlan(error)) throw error;
        named.forget(spaceId, statements);
        return work(reader);
      }
    },
  };
}
