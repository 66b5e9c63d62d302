/**
 * What differs if PostgreSQL is the coordinator of a Citus cluster. Each data space is then a schema that Citus
 * distributes: all its tables are on one worker, each under the name of its shard, while directory and logs stay on the
 * coordinator. Statements use the usual table names, and the coordinator forwards them. But a merged write
 * (`merged-sql.ts`) has several parts that write, which Citus would execute one by one, with a two-phase commit. So it
 * is passed, as text, to a function that is distributed with the data space's tables. Citus calls such a function on
 * their worker, in one round trip; it runs the statement on the shards there, and its end is the only commit.
 */
import type { Store } from '../transfer.ts';
import type { Connection, Connections, Sql } from './connections.ts';
import { arrayText } from './dialect.ts';
import { ConnectionLost, isOfStatement, isTimeout } from './failure.ts';
import { isCluster } from './placement.ts';
import { inStore } from './schemas.ts';
import { type Shards, shardsOf } from './shards.ts';
import { type ReadEntrances, type ReadOptions, readsAtWorkers, readsOfOneServer } from './worker-reads.ts';

/** How merged writes reach the tables of a data space. */
export interface Route {
  /** Distinguishes the statements of different routes. */
  readonly id: number;
  /** Whether values may be sent in PostgreSQL's binary form. */
  readonly takesBinary: boolean;
  /** The text of a statement for this route, made from one in the dialect, which names tables with `"~"`. */
  text(sql: string): string;
  /**
   * @param statement with such a text; its rows have two text columns
   * @param table that it writes to, named as in the dialect
   */
  sent(statement: Sql, table: string): Sql;
}

/** How a database is deployed on servers. */
export interface Deployment {
  readonly isCitus: boolean;
  /** Settings of every connection. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Settings of the connections of writers, in addition to those of every connection (`writers.ts`). */
  readonly writePlanner: Readonly<Record<string, string>>;
  /** Settings of the connections of queries, in addition to those of every connection (`select.ts`). */
  readonly queryPlanner: Readonly<Record<string, string>>;
  /** Bytes of the tables of the schema `$1`, with their indexes and separately stored long values. */
  readonly sizesSql: string;
  /** Bytes of the whole database. */
  readonly databaseSizeSql: string;
  /** To be called once for each definition, and again when a table is missing. */
  route(connection: Connection, spaceId: number): Route | Promise<Route>;
  /** How data spaces are read. */
  openReads(options: ReadOptions): ReadEntrances;
  /** Whether a merged write that failed may still have been committed. */
  mayHaveCommitted(error: unknown): boolean;
}

/** One server, or several of which one takes the writes. */
export const oneServer: Deployment = {
  isCitus: false,
  parameters: {},
  writePlanner: {},
  queryPlanner: {},
  sizesSql: sizesSql('pg_total_relation_size(c.oid)'),
  databaseSizeSql: 'SELECT pg_database_size(current_database())',
  route: (_, spaceId) => direct(spaceId),
  openReads: readsOfOneServer,
  mayHaveCommitted: isLostUnderWay,
};

const citus: Deployment = {
  isCitus: true,
  // Settings of `SET LOCAL`, such as `lock_timeout`, also apply on the workers.
  parameters: { 'citus.propagate_set_commands': 'local' },
  // A function call is only sent to a worker when it is planned for its values.
  writePlanner: { plan_cache_mode: 'auto' },
  // The coordinator only decides where a query goes, which does not depend on values. The worker plans it for its
  // values, each time.
  queryPlanner: { plan_cache_mode: 'force_generic_plan' },
  sizesSql: sizesSql(`CASE WHEN EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)
    THEN citus_total_relation_size(c.oid) ELSE pg_total_relation_size(c.oid) END`),
  databaseSizeSql: `SELECT sum(CASE WHEN success THEN result::bigint END)
    FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')`,
  route: throughShards,
  openReads: readsAtWorkers,
  // The worker has committed before the coordinator ends the statement, which it may still cancel.
  mayHaveCommitted: (error) => isLostUnderWay(error) || isTimeout(error) || !isOfStatement(error),
};

/** @throws Error when the database can't be reached */
export async function deploymentOf(connections: Connections): Promise<Deployment> {
  return (await isCluster(connections)) ? citus : oneServer;
}

/**
 * To be called in the transaction that creates the schema of a store, before creating it: on Citus, only the schemas of
 * data spaces are distributed, whatever the server's setting.
 */
export async function setSharding(connection: Connection, store: Store): Promise<void> {
  const isSharded = typeof store === 'number' ? 'on' : 'off';
  await connection.query({
    text: `SELECT pg_catalog.set_config('citus.enable_schema_based_sharding', $1, true) FROM pg_catalog.pg_extension
      WHERE extname = 'citus'`,
    values: [isSharded],
  });
}

/** On Citus, to be called once a data space has a table: creates the functions for merged writes. */
export async function makeEntrance(connection: Connection, store: Store): Promise<void> {
  if (typeof store !== 'number' || !(await isCluster(connection))) return;
  for (const text of [hereFunction, runFunction, notDeletedFunction, lockFunction])
    await connection.query({ text: inStore(text, store) });
  await connection.query({
    text: `SELECT pg_catalog.create_distributed_function($1::regprocedure, colocate_with := $2)`,
    values: [inStore('"~"._run(text, bigint, text, text, text[])', store), inStore('"~"._version', store)],
  });
}

/**
 * Blocks merged writes until the end of the transaction, as `LOCK TABLE … IN SHARE MODE` does for other writes: on
 * Citus that statement locks the table of that name on every node, but not the shard that merged writes use.
 */
export async function lockShards(connection: Connection, spaceId: number, tables: readonly string[]): Promise<void> {
  if (!(await isCluster(connection))) return;
  const shards = await shardsOf(connection, spaceId);
  if (shards === null) return;
  const text = inStore('SELECT "~"._lock_shard($1) FROM "~"._space', spaceId);
  for (const table of shards.tables) {
    if (tables.includes(table)) await connection.query({ text, values: [shards.named(`"${table}"`)] });
  }
}

function isLostUnderWay(error: unknown): boolean {
  return error instanceof ConnectionLost && error.mayHaveRun;
}

/** @param size SQL of the size of the table `c` */
function sizesSql(size: string): string {
  return `SELECT c.relname, (${size})::bigint FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relkind = 'r'`;
}

const direct = (spaceId: number): Route => ({
  id: 0,
  takesBinary: true,
  text: (sql) => inStore(sql, spaceId),
  sent: (statement) => statement,
});

/**
 * Fails if the data space is not on this node; otherwise keeps it here until the end of the transaction. Like Citus for
 * a write, it first takes the lock under which data spaces are moved between nodes; a move holds it until its commit
 * has reached this node. Then it checks with a new snapshot, as each statement of a volatile function has.
 */
const hereFunction = `CREATE FUNCTION "~"._here(shard bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  PERFORM pg_catalog.lock_shard_metadata(5, ARRAY[shard]);
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_dist_placement AS placement
    JOIN pg_catalog.pg_dist_local_group AS here ON here.groupid = placement.groupid WHERE placement.shardid = shard) THEN
    RAISE EXCEPTION 'The data space was moved to another node meanwhile.' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN true;
END $body$`;

/**
 * Runs a statement on the shards of this node. Its parameters are `($1)[1]`, `($1)[2]` …; under a name it is prepared
 * and planned once per connection. A separate statement locks the table, because a prepared statement that waited for a
 * change of the table would only see the state before the wait.
 */
const runFunction = `CREATE FUNCTION "~"._run(target text, shard bigint, name text, statement text, arguments text[])
RETURNS SETOF record LANGUAGE plpgsql VOLATILE
SET search_path TO pg_catalog SET timezone TO 'UTC' SET datestyle TO 'ISO' SET jit TO off
SET enable_seqscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off SET plan_cache_mode TO force_generic_plan AS $body$
BEGIN
  PERFORM "~"._here(shard);
  EXECUTE 'LOCK TABLE ' || target || ' IN ROW EXCLUSIVE MODE';
  IF name IS NULL THEN
    RETURN QUERY EXECUTE statement USING arguments;
    RETURN;
  END IF;
  IF current_setting('rowhouse.' || name, true) IS DISTINCT FROM 'prepared' THEN
    IF NOT EXISTS (SELECT FROM pg_prepared_statements AS prepared WHERE prepared.name = _run.name) THEN
      EXECUTE format('PREPARE %I(text[]) AS %s', name, statement);
    END IF;
    PERFORM set_config('rowhouse.' || name, 'prepared', false);
  END IF;
  RETURN QUERY EXECUTE format('EXECUTE %I(%L)', name, arguments);
END $body$`;

/**
 * `_not_deleted_since` (`functions.ts`) on a shard: with the table's usual name, Citus would plan the statement at each
 * call.
 */
const notDeletedFunction = `CREATE FUNCTION "~"._not_deleted_since_at(tombstones text, tables bigint, ids text[], times bigint[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
  is_deleted boolean;
BEGIN
  EXECUTE 'SELECT EXISTS (SELECT FROM unnest($2, $3) AS item(id, time) JOIN ' || tombstones
    || ' AS gone ON gone.table_id = $1 AND gone.object_id = item.id WHERE gone.time >= item.time)' INTO is_deleted USING tables, ids, times;
  IF is_deleted THEN
    RAISE EXCEPTION 'A record was added and deleted meanwhile.' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN true;
END $body$`;

/** Runs on the worker, as part of a query of the data space. */
const lockFunction = `CREATE FUNCTION "~"._lock_shard(target text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  EXECUTE 'LOCK TABLE ' || target || ' IN SHARE MODE';
  RETURN true;
END $body$`;

async function throughShards(connection: Connection, spaceId: number): Promise<Route> {
  const shards = await shardsOf(connection, spaceId);
  return shards === null ? direct(spaceId) : routeTo(shards);
}

let lastRoute = 0;

function routeTo(shards: Shards): Route {
  const { schema, first } = shards;
  return {
    id: ++lastRoute,
    takesBinary: false,
    text(sql) {
      const notDeleted = `${schema}._not_deleted_since_at('${shards.named('_tombstone')}', `;
      return shards
        .text(sql.replaceAll('"~"._not_deleted_since(', notDeleted))
        .replace(/\$(\d+)/g, (_, position: string) => `($1)[${position}]`);
    },
    sent({ text, values = [], name }, table) {
      const call = `SELECT * FROM ${schema}._run($1, $2, $3, $4, $5) AS row(transaction_id text, answer text)`;
      const texts = arrayText(values as readonly (string | null)[]);
      return { text: call, values: [this.text(table), first, name ?? null, text, texts], ...(name && { name }) };
    },
  };
}
