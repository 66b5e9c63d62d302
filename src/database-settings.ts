/** Settings of connections to PostgreSQL, and of how instances on it notice each other's changes. */
import { limit, type Setting, secondMs, time, whole } from './setting.ts';

export const databaseSettings = {
  databaseConnectionsMax: whole(16, 'connections', 4, 1_000, 'Total connections of one process to PostgreSQL.'),
  databaseNodeConnectionsMax: whole(
    6,
    'connections',
    0,
    1_000,
    'Connections of one process to each worker of a cluster, for reads: a third for queries, the others for single records. With 0, reads go through the coordinator.',
  ),
  databaseConnectTimeMs: time(5 * secondMs, 'How long connecting to PostgreSQL may take.'),
  databaseConnectionLifeMs: time(1_800 * secondMs, 'How long a connection to PostgreSQL is used.'),
  databasePreparedMax: limit(
    500,
    'statements',
    100_000,
    'Prepared statements of one connection to PostgreSQL, after which it is replaced.',
  ),
  databaseSpacesMax: limit(
    500,
    'data spaces',
    1_000_000,
    'Data spaces that one connection to PostgreSQL serves, after which it is replaced: the server keeps some 200 KiB for each.',
  ),
  nodesEveryMs: time(
    5 * secondMs,
    'How often the service checks that the nodes of a cluster respond and are safe to write to.',
  ),
  tableChangeWaitMs: time(
    20 * secondMs,
    'How long a request waits for changes of tables before it answers with a job.',
  ),
  tableChangeTimeMs: time(
    600 * secondMs,
    'How long a change of tables, or a copy of them, may take on PostgreSQL; on SQLite, how long a change waits to begin.',
  ),
  definitionCacheMs: whole(
    1 * secondMs,
    'milliseconds',
    0,
    60 * secondMs,
    'Longest delay until a change of tables by another instance on PostgreSQL is seen.',
  ),
} as const satisfies Record<string, Setting<unknown>>;
