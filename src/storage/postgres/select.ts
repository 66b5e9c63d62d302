/** Running queries: data spaces take turns, rows become JSON text one by one, within the bounds on size and time. */
import type { Settings } from '../../config.ts';
import type { BoundValue, Statement } from '../../query/statement.ts';
import type { Zone } from '../../schema/time.ts';
import { AnswerArrays, outOfTime, type ResultLimits, tooManyGroups } from '../answer-arrays.ts';
import { lateQuery } from '../busy.ts';
import type { BoundStatement, SelectRequest, SelectResult } from '../contract.ts';
import type { JsonText } from '../json-text.ts';
import { Turns } from '../turns.ts';
import type { Connection, OnRow } from './connections.ts';
import { isTimeout, isTooManyGroups, serviceError } from './failure.ts';
import { LargeResult, type LargeTurns, newLargeTurns } from './large-result.ts';
import type { Reader, Reads } from './reads.ts';
import { type AnswerWriters, answerWriters } from './rows.ts';

/**
 * Connections for queries plan each one for its own values: the best plan differs between a caller who sees one record
 * in a thousand and one who sees all, and between patterns. A generic plan ignores both; planning takes less than a
 * millisecond.
 */
export const queryPlanner = { plan_cache_mode: 'force_custom_plan' } as const;

export interface Queries {
  /**
   * @throws ServiceError 212: 413 for a result that is too large, 503 for one that takes too long; `busy` when it waited
   *   too long; `noTable` when the tables were changed meanwhile
   */
  select(spaceId: number, request: SelectRequest): Promise<SelectResult>;
  /** See `FairQueue.takeMostWaiting`. */
  takeMostWaiting(): number;
  /** Resolves when all queries have ended; the connections stay open. */
  close(): Promise<void>;
}

export interface QueriesOptions {
  /** Uses only connections for queries, which stop a statement after `queryTimeMs`. */
  readonly reads: Reads;
  readonly settings: ResultLimits & Pick<Settings, 'readsQueuedMax' | 'groupsMax'>;
  readonly zone: Zone;
  readonly largeTurns?: LargeTurns;
}

/** Statements to one data space, on one connection. */
interface From {
  readonly spaceId: number;
  send(bound: BoundStatement, onRow: OnRow): Promise<unknown>;
}

export function openQueries(options: QueriesOptions): Queries {
  const { reads, settings, zone, largeTurns = newLargeTurns(settings) } = options;
  const writers = new WeakMap<Statement, AnswerWriters>();
  const { queryTimeMs, readsQueuedMax } = settings;
  const turns = new Turns({
    runningMax: reads.max,
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

  async function count(from: From, bound: BoundStatement | undefined): Promise<number> {
    if (bound === undefined) return 0;
    let counted = 0;
    await from.send(bound, ([value]) => {
      counted = Number(value);
    });
    return counted;
  }

  async function arrays(from: From, bound: BoundStatement | undefined): Promise<Pick<SelectResult, 'arrays' | 'page'>> {
    if (bound === undefined) return { arrays: [] };
    const large = new LargeResult(largeTurns, from.spaceId, settings);
    const answer = new AnswerArrays<JsonText>(writersOf(bound.statement), settings, () => large.grew());
    try {
      await from.send(bound, (row, flow) => {
        large.flow = flow;
        answer.add(row);
      });
      return answer.result();
    } finally {
      large.end();
    }
  }

  async function both(
    spaceId: number,
    connection: Connection,
    { sql }: Reader,
    request: SelectRequest,
  ): Promise<SelectResult> {
    const send: From['send'] = ({ statement, values }, onRow) =>
      connection.query(sql(statement, values.map(sent)), onRow);
    const from = { spaceId, send };
    return { count: await count(from, request.count), ...(await arrays(from, request.rows)) };
  }

  /** A single statement sees one state of the data space without a transaction. */
  function run(spaceId: number, reader: Reader, request: SelectRequest): Promise<SelectResult> {
    const { connections } = reader;
    if (request.rows === undefined || request.count === undefined) return both(spaceId, connections, reader, request);
    return connections.transaction('repeatable read', (connection) => both(spaceId, connection, reader, request));
  }

  return {
    select: (spaceId, request) =>
      turns.run(spaceId, performance.now() + queryTimeMs, async () => {
        const statements = [request.rows, request.count].flatMap((bound) => (bound ? [bound.statement] : []));
        try {
          return await reads.run(spaceId, statements, (reader) => run(spaceId, reader, request));
        } catch (error) {
          if (isTimeout(error)) throw outOfTime(settings, error);
          if (isTooManyGroups(error)) throw tooManyGroups(settings.groupsMax, error);
          throw serviceError(error, `querying data space ${spaceId}`);
        }
      }),
    takeMostWaiting: () => turns.takeMostWaiting(),
    close: () => turns.close(),
  };
}

/** Our dialect binds only text and null. */
export function sent(value: BoundValue): string | null {
  return value === null ? null : String(value);
}
