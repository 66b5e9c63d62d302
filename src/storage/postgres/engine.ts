/** The PostgreSQL engine as a whole: one database, its schemas, and the connections that work on them. */
import type { Logger } from 'pino';
import type { Settings } from '../../config.ts';
import type { Environment } from '../../environment.ts';
import { zoneOf } from '../../schema/time.ts';
import { emptyBin } from '../bin.ts';
import type { Storage } from '../contract.ts';
import { Counters } from '../counters.ts';
import { assertAnswering } from '../health.ts';
import { putBackDirectory } from '../identity.ts';
import { redactedLocation } from '../location.ts';
import { openRetention } from '../retention.ts';
import type { DirectoryTables, LogTables } from '../tables.ts';
import { SeenIds } from './audiences.ts';
import { type Deployment, deploymentOf, oneServer } from './citus.ts';
import { type Connection, type Connections, openConnections } from './connections.ts';
import { counterSource } from './counters.ts';
import { Definitions } from './definitions.ts';
import { postgresDialect } from './dialect.ts';
import { ConnectionLost, serviceError, sqlState } from './failure.ts';
import { settleInstallation } from './installation.ts';
import { migrate } from './migrations.ts';
import { openNodeWatch } from './node-watch.ts';
import { openNodes } from './nodes.ts';
import { openRecords, recordPlanner } from './records.ts';
import { openRelational } from './relational.ts';
import { directorySchema, logsSchema, spaceSchemaPrefix } from './schemas.ts';
import { openQueries, queryPlanner } from './select.ts';
import { openSpaces } from './spaces.ts';
import { refuseUnfinishedMove } from './transfer.ts';
import { openWriters, writePlanner } from './writers.ts';

/**
 * Several processes may open one database at once.
 * @throws Error when the database can't be reached, can't give the guarantees, or is of a newer program
 */
export async function openPostgres(
  url: string,
  settings: Settings,
  environment: Environment,
  log: Logger,
): Promise<Storage> {
  const deployment = await deploymentAt(url, settings);
  const pools = openPools(url, settings, deployment);
  const { keys, queries: queryPool, writes, maintenance } = pools;
  let installation: string;
  try {
    await warnOfFragility(keys, log);
    await refuseUnfinishedMove(keys);
    await migrate(maintenance, 'directory', refuseSpacesWithoutDirectory);
    await migrate(maintenance, 'logs');
    installation = await settleInstallation(maintenance, log);
  } catch (error) {
    await closeAll(pools);
    throw explained(error, url);
  }
  const counters = new Counters(counterSource(maintenance, installation), log);
  const directory = openRelational<DirectoryTables>(keys, directorySchema, environment, counters);
  const logs = openRelational<LogTables>(keys, logsSchema, environment);
  const zone = zoneOf(settings.zone);
  const reads = deployment.openReads({ url, installation, settings, log, keys, queries: queryPool });
  const records = openRecords({ reads: reads.records, settings, zone });
  const queries = openQueries({ reads: reads.queries, settings, zone });
  const seen = new SeenIds(settings.openFilesMax);
  const definitions = new Definitions({ keys, maintenance, installation, seen, settings });
  const definition = (spaceId: number) => definitions.known(spaceId);
  const writers = openWriters({ deployment, connections: writes, definition, seen, settings, environment, log });
  const retention = openRetention({
    prune: (spaceId, before, rowsMax) => writers.prune(spaceId, before, rowsMax),
    emptyBin: (spaceId, now) => emptyBin(spaces, spaceId, now),
    logs,
    settings,
    environment,
    log,
  });
  const spaces = openSpaces({
    deployment,
    maintenance,
    installation,
    definitions,
    records,
    queries,
    writers,
    retention,
  });
  const watch = deployment.isCitus ? openNodeWatch({ url, settings, log }) : null;
  const nodes = watch === null ? null : openNodes(url, settings, watch);
  return {
    dialect: postgresDialect,
    directory,
    logs,
    spaces: watch?.guard(spaces) ?? spaces,
    cluster: nodes,
    async check(timeMs = Number.POSITIVE_INFINITY) {
      const answer = (pool: Connections, text: string) =>
        pool.query({ text }).catch((error: unknown) => {
          throw serviceError(error, 'asking whether the database is there');
        });
      const parts = [
        { name: 'PostgreSQL', answer: () => answer(keys, 'SELECT 1') },
        { name: 'PostgreSQL, asked for a commit,', answer: () => answer(writes, emptyCommit) },
      ];
      const faults = watch?.faults(timeMs) ?? [];
      await assertAnswering(parts, timeMs);
      // Started here, so that a failure is logged early; only the handing out of ids waits for it.
      counters
        .settled()
        .catch((error) => log.error({ err: error }, 'The counters of the directory were not compared.'));
      return faults;
    },
    takeActivity: () => ({ ...writers.takeActivity(), queriesWaiting: queries.takeMostWaiting() }),
    bytes: () => bytesOf(maintenance, deployment),
    async close() {
      await nodes?.close();
      await watch?.close();
      await counters.close();
      await retention.close();
      await queries.close();
      await reads.close();
      await writers.close();
      await closeAll(pools);
    },
  };
}

/** @throws Error when the database can't be reached */
async function deploymentAt(url: string, settings: Settings): Promise<Deployment> {
  const pools = openPools(url, settings, oneServer);
  try {
    return await deploymentOf(pools.maintenance);
  } catch (error) {
    throw explained(error, url);
  } finally {
    await closeAll(pools);
  }
}

/** Whether a directory was ever created in the database. @throws Error when it can't be reached */
export async function hasDirectory(url: string, settings: Settings): Promise<boolean> {
  const pools = openPools(url, settings, oneServer);
  try {
    const text = 'SELECT 1 FROM pg_namespace WHERE nspname = $1';
    return (await pools.maintenance.query({ text, values: [directorySchema] })).rows.length > 0;
  } catch (error) {
    throw explained(error, url);
  } finally {
    await closeAll(pools);
  }
}

async function bytesOf(connections: Connections, { databaseSizeSql }: Deployment): Promise<number> {
  try {
    return Number((await connections.query({ text: databaseSizeSql })).rows[0]?.[0]);
  } catch (error) {
    throw serviceError(error, 'measuring the database');
  }
}

/** Writes only to the log of the server, so it completes as soon as the server's disk accepts a write. */
const emptyCommit = `SELECT pg_logical_emit_message(true, 'rowhouse', '')`;

interface Pools {
  /** Single records, definitions, directory, sessions and logs: short work. */
  readonly keys: Connections;
  readonly queries: Connections;
  readonly writes: Connections;
  /** Changes of layouts and tables, and copies: long work. */
  readonly maintenance: Connections;
}

/** Three eighths for short work, a quarter each for queries and for writes, an eighth for maintenance. */
function openPools(url: string, settings: Settings, deployment: Deployment): Pools {
  const { databaseConnectionsMax, queryTimeMs, writeTimeMs, tableChangeTimeMs, readsQueuedMax } = settings;
  const open = (eighths: number, statementTimeMs: number, waitingMax: number, parameters = {}) => {
    const max = Math.max(1, Math.floor((databaseConnectionsMax * eighths) / 8));
    const set = { ...parameters, ...deployment.parameters };
    return openConnections({ url, max, statementTimeMs, waitingMax, parameters: set, settings });
  };
  return {
    keys: open(3, queryTimeMs, readsQueuedMax, recordPlanner),
    queries: open(2, queryTimeMs, readsQueuedMax, { ...queryPlanner, ...deployment.queryPlanner }),
    writes: open(2, writeTimeMs, settings.writesQueuedMax, { ...writePlanner, ...deployment.writePlanner }),
    maintenance: open(1, tableChangeTimeMs, readsQueuedMax),
  };
}

async function closeAll({ keys, queries, writes, maintenance }: Pools): Promise<void> {
  await Promise.all([keys, queries, writes, maintenance].map((pool) => pool.close()));
}

/** Such a server may lose commits when the machine fails; tests use it on purpose. */
async function warnOfFragility(connection: Connection, log: Pick<Logger, 'warn'>): Promise<void> {
  const names = ['fsync', 'full_page_writes'];
  const { rows } = await connection.query({
    text: `SELECT ${names.map((name) => `current_setting('${name}')`).join(', ')}`,
  });
  for (const [index, name] of names.entries()) {
    if (rows[0]?.[index] === 'on') continue;
    log.warn(`PostgreSQL has ${name} = off: when its machine fails, records that were saved may be lost.`);
  }
}

/**
 * Without the directory, the owner of a data space is unknown; a new directory would number data spaces from 1 again,
 * and so give one company's records to another.
 */
async function refuseSpacesWithoutDirectory(connection: Connection): Promise<void> {
  const { rows } = await connection.query({
    text: 'SELECT 1 FROM pg_namespace WHERE starts_with(nspname, $1) LIMIT 1',
    values: [spaceSchemaPrefix],
  });
  if (rows.length === 0) return;
  throw new Error(`The database has data spaces, but no schema ${directorySchema}. ${putBackDirectory}`);
}

/** An error of the start, described for the operator, with the driver's message, which holds no password. */
function explained(error: unknown, url: string): unknown {
  // When the server answers but refuses the connection, its error is the cause.
  const refusal = error instanceof ConnectionLost && sqlState(error.cause) !== null ? error.cause : error;
  const told = (what: string, advice: string) =>
    new Error(
      `storage: ${redactedLocation({ engine: 'postgres', url })} ${what}: ${(refusal as Error).message}. ${advice}`,
      {
        cause: error,
      },
    );
  switch (sqlState(refusal)) {
    case '28P01':
    case '28000':
      return told('refuses to let this user in', 'Check user and password in the setting storage.');
    case '3D000':
      return told('has no such database', 'Create it with "createdb", or name another one in the setting storage.');
    case null:
      if (!(error instanceof ConnectionLost)) return error;
      return told('does not answer', 'Check that PostgreSQL runs there, and that this machine may reach it.');
    default:
      if (error instanceof ConnectionLost) return told('takes no connection', 'Try again when it does.');
      return told('refused to create the schemas', 'Check that the user may create schemas in this database.');
  }
}
