/**
 * What differs where PostgreSQL is the coordinator of a Citus cluster. There each data space is a schema that Citus shards: all
 * its tables lie on one worker, each as a table of its own named after its shard, while directory and logs stay on the
 * coordinator. Statements name the tables as ever, and the coordinator sends each of them on; but a merged write (`merged-sql.ts`)
 * has several parts that write, which Citus would carry out one by one, in a commit of two phases. So it is handed, as text, to a
 * function that is distributed with the data space's tables. Citus calls such a function on their worker, in one round trip; it
 * runs the statement on the shards there, and its end is the only commit.
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
  /** Tells statements for one route from those for another. */
  readonly id: number;
  /** Whether values may be sent in PostgreSQL's binary form. */
  readonly takesBinary: boolean;
  /** The text of a statement in the dialect, whose tables are those of `"~"`. */
  text(sql: string): string;
  /**
   * @param statement made of such a text; its rows have two columns of text
   * @param table that it writes to, named as in the dialect
   */
  sent(statement: Sql, table: string): Sql;
}

/** How a database lies on servers. */
export interface Deployment {
  readonly isCitus: boolean;
  /** Settings of every connection. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Settings of the connections of writers, over those that all have (`writers.ts`). */
  readonly writePlanner: Readonly<Record<string, string>>;
  /** Settings of the connections of queries, over those that all have (`select.ts`). */
  readonly queryPlanner: Readonly<Record<string, string>>;
  /** Bytes of the tables of the schema `$1`, with their indexes and what is stored separately for long values. */
  readonly sizesSql: string;
  /** Bytes of the whole database. */
  readonly databaseSizeSql: string;
  /** To be looked up once for a definition, and again when a table was not there. */
  route(connection: Connection, spaceId: number): Route | Promise<Route>;
  /** How data spaces are read. */
  openReads(options: ReadOptions): ReadEntrances;
  /** Whether a merged write that failed may have been committed all the same. */
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
  // What `SET LOCAL` sets, as `lock_timeout`, holds on the workers too.
  parameters: { 'citus.propagate_set_commands': 'local' },
  // A function call is only sent to a worker when it is planned for its values.
  writePlanner: { plan_cache_mode: 'auto' },
  // The coordinator only decides where a query goes, which no value changes. The worker plans it for its values, each time.
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
 * To be called in the transaction that makes the schema of a store, before it: on Citus, those of data spaces are sharded, and no
 * others, whatever the server's setting says.
 */
export async function setSharding(connection: Connection, store: Store): Promise<void> {
  const isSharded = typeof store === 'number' ? 'on' : 'off';
  await connection.query({
    text: `SELECT pg_catalog.set_config('citus.enable_schema_based_sharding', $1, true) FROM pg_catalog.pg_extension
      WHERE extname = 'citus'`,
    values: [isSharded],
  });
}

/** On Citus, to be called once a data space has a table: makes the functions for merged writes. */
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
 * For merged writes what `LOCK TABLE … IN SHARE MODE` is for others, until the end of the transaction: on Citus that statement locks
 * a table's name, on every node, and not the shard that they go to.
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
 * Fails where the data space is not, and keeps it on this node until the end of the transaction. As Citus itself does for a write, it
 * first takes the lock under which data spaces are moved between nodes; a move holds it until its commit arrived at this node. Then
 * it looks anew, as each statement of a volatile function does.
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
 * Runs a statement on the shards of this node. Its parameters are `($1)[1]`, `($1)[2]` …; under a name it is prepared and planned
 * once a connection. The table is locked by a statement of its own because a prepared statement would see
 * what was committed before it waited for a change of the table, not after.
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

/** `_not_deleted_since` (`functions.ts`) on a shard: in a function, the table's own name would be planned by Citus each time. */
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
