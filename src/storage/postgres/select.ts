/** Running queries: data spaces take turns, rows become JSON text one by one, within the bounds on size and time. */
import type { Settings } from '../../config.ts';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { Zone } from '../../schema/time.ts';
import { AnswerArrays, outOfTime, type ResultLimits, tooManyGroups } from '../answer-arrays.ts';
import { lateQuery } from '../busy.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../contract.ts';
import type { JsonText } from '../json-text.ts';
import { Turns } from '../turns.ts';
import type { Connection, Connections, OnRow } from './connections.ts';
import { isTimeout, isTooManyGroups, serviceError } from './failure.ts';
import { LargeResult, type LargeTurns, newLargeTurns } from './large-result.ts';
import { NamedStatements } from './named-statements.ts';
import { type AnswerWriters, answerWriters } from './rows.ts';

/**
 * Connections for queries plan each one for its own values: a caller who sees one record in a thousand needs another
 * plan than one who sees all, and a pattern another one than its neighbour. A plan for all values takes account of
 * neither; planning takes less than a millisecond.
 */
export const queryPlanner = { plan_cache_mode: 'force_custom_plan' } as const;

export interface Queries {
  /**
   * @throws ServiceError 212: 413 for a result that is too large, 503 for one that takes too long; `busy` when it waited
   *   too long; `noTable` when the tables were changed meanwhile
   */
  select(spaceId: number, request: SelectRequest): Promise<SelectResult>;
  /** Resolves when all queries have ended; the connections stay open. */
  close(): Promise<void>;
}

export interface QueriesOptions {
  /** For queries only; they stop a statement after `queryTimeMs`. */
  readonly connections: Connections;
  readonly settings: ResultLimits & Pick<Settings, 'readsQueuedMax' | 'databasePreparedMax' | 'groupsMax'>;
  readonly zone: Zone;
  readonly largeTurns?: LargeTurns;
}

export function openQueries(options: QueriesOptions): Queries {
  const { connections, settings, zone, largeTurns = newLargeTurns(settings) } = options;
  const named = new NamedStatements(settings.databasePreparedMax);
  const writers = new WeakMap<Statement, AnswerWriters>();
  const { queryTimeMs, readsQueuedMax } = settings;
  const turns = new Turns({
    runningMax: connections.max,
    limit: { what: 'queries', max: readsQueuedMax },
    late: () => lateQuery(queryTimeMs),
  });

  function writersOf(statement: Statement): AnswerWriters {
    let present = writers.get(statement);
    if (present === undefined) {
      present = answerWriters(statement, zone);
      writers.set(statement, present);
    }
    return present;
  }

  function send(connection: Connection, spaceId: number, bound: BoundStatement, onRow: OnRow) {
    const { statement, values } = bound;
    return connection.query(named.sql(spaceId, statement, values.map(sent)), onRow);
  }

  async function count(connection: Connection, spaceId: number, bound: BoundStatement | undefined): Promise<number> {
    if (bound === undefined) return 0;
    let counted = 0;
    await send(connection, spaceId, bound, ([value]) => {
      counted = Number(value);
    });
    return counted;
  }

  async function arrays(
    connection: Connection,
    spaceId: number,
    bound: BoundStatement | undefined,
  ): Promise<Pick<SelectResult, 'arrays' | 'page'>> {
    if (bound === undefined) return { arrays: [] };
    const large = new LargeResult(largeTurns, spaceId, settings);
    const answer = new AnswerArrays<JsonText>(writersOf(bound.statement), settings, () => large.grew());
    try {
      await send(connection, spaceId, bound, (row, flow) => {
        large.flow = flow;
        answer.add(row);
      });
      return answer.result();
    } finally {
      large.end();
    }
  }

  async function both(connection: Connection, spaceId: number, request: SelectRequest): Promise<SelectResult> {
    return {
      count: await count(connection, spaceId, request.count),
      ...(await arrays(connection, spaceId, request.rows)),
    };
  }

  /** A single statement sees one state of the data space by itself. */
  function run(spaceId: number, request: SelectRequest): Promise<SelectResult> {
    if (request.rows === undefined || request.count === undefined) return both(connections, spaceId, request);
    return connections.transaction('repeatable read', (connection) => both(connection, spaceId, request));
  }

  return {
    select: (spaceId, request) =>
      turns.run(spaceId, performance.now() + queryTimeMs, async () => {
        const statements = [request.rows, request.count].flatMap((bound) => (bound ? [bound.statement] : []));
        try {
          return await named.retrying(spaceId, statements, () => run(spaceId, request));
        } catch (error) {
          if (isTimeout(error)) throw outOfTime(settings, error);
          if (isTooManyGroups(error)) throw tooManyGroups(settings.groupsMax, error);
          throw serviceError(error, `querying data space ${spaceId}`);
        }
      }),
    close: () => turns.close(),
  };
}

/** Our dialect binds text and null only. */
export function sent(value: BoundValue): string | null {
  return value === null ? null : String(value);
}
