/**
 * Reads data spaces of a cluster directly on their workers, under the names of the shards. The coordinator would plan
 * each statement and make the worker parse and plan it again, which takes 7 to 17 times the processor time. Reads that
 * a worker can't answer go through the coordinator.
 */
import type { Connections } from './connections.ts';
import { type Entrance, Entrances, type EntrancesOptions, type Line, type Worker } from './entrances.ts';
import { isAway, isRetryable, isUndefined, sqlState } from './failure.ts';
import { type Reader, type Reads, readsThrough } from './reads.ts';
import { UnsafeServer } from './session.ts';
import { UnknownTable } from './shards.ts';

/** How statements that read data spaces are sent. */
export interface ReadEntrances {
  /** Single records by their id. */
  readonly records: Reads;
  readonly queries: Reads;
  close(): Promise<void>;
}

export interface ReadOptions extends Omit<EntrancesOptions, 'coordinator'> {
  readonly installation: string;
  /** For single records. */
  readonly keys: Connections;
  /** For queries. */
  readonly queries: Connections;
}

export function readsOfOneServer({ settings, keys, queries }: ReadOptions): ReadEntrances {
  return {
    records: readsThrough(keys, settings),
    queries: readsThrough(queries, settings),
    close: () => Promise.resolve(),
  };
}

export function readsAtWorkers(options: ReadOptions): ReadEntrances {
  const through = readsOfOneServer(options);
  if (options.settings.databaseNodeConnectionsMax === 0) return through;
  const entrances = new Entrances({ ...options, coordinator: options.keys }, options.installation);
  return {
    records: readsAt(entrances, ({ records }) => records, checkedWithin, through.records),
    queries: readsAt(entrances, ({ queries }) => queries, checkedAfter, through.queries),
    close: () => entrances.close(),
  };
}

/** Runs the work at the entrance. @throws 40001 when the data space was not on the worker */
type Checked = <R>(line: Line, spaceId: number, entrance: Entrance, work: (reader: Reader) => Promise<R>) => Promise<R>;

/**
 * Each statement checks before its first row that the data space is still on the worker, and keeps it there until its
 * end.
 */
const checkedWithin: Checked = ({ connections, named }, spaceId, { shards }, work) => {
  const textIn = (sql: string) =>
    `SELECT * FROM (${shards.text(sql)}) AS read WHERE (SELECT ${shards.schema}._here(${shards.first}))`;
  return work({ connections, sql: (statement, values) => named.sql(spaceId, statement, values, textIn) });
};

/** Ids of other statements begin at 1. */
const here = { id: 0, sql: 'SELECT "~"._here($1::bigint)' };

/**
 * Checks afterwards, in a separate transaction, because long queries would delay a move, and writes with it. If the
 * data space is there then, it was there when the statements began: a move back first drops the tables that the worker
 * kept, and so waits for their readers.
 */
const checkedAfter: Checked = async ({ connections, named }, spaceId, { worker, shards }, work) => {
  const textIn = (sql: string) => shards.text(sql);
  const result = await work({ connections, sql: (statement, values) => named.sql(spaceId, statement, values, textIn) });
  // On these connections, statements are planned once for all values, also within the function.
  const { records } = worker;
  await records.connections.query(records.named.sql(spaceId, here, [shards.first], textIn));
  return result;
};

function readsAt(
  entrances: Entrances,
  lineOf: (worker: Worker) => Line | null,
  checked: Checked,
  through: Reads,
): Reads {
  return {
    max: through.max,
    async run(spaceId, statements, work) {
      const entrance = entrances.of(spaceId);
      const line = entrance === null ? null : lineOf(entrance.worker);
      if (entrance === null || line === null) return through.run(spaceId, statements, work);
      try {
        return await checked(line, spaceId, entrance, work);
      } catch (error) {
        if (!isOfEntrance(error)) throw error;
        entrances.forget(spaceId, entrance);
        line.named.forget(spaceId, statements);
      }
      return through.run(spaceId, statements, work);
    },
  };
}

/** Whether the read should be tried through the coordinator. */
function isOfEntrance(error: unknown): boolean {
  const isUnusable = error instanceof UnsafeServer || error instanceof UnknownTable;
  const isInTheWay = isRetryable(error) || sqlState(error) === '55P03';
  return isUnusable || isInTheWay || isAway(error) || isUndefined(error);
}
