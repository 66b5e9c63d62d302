/**
 * A database as the source or the target of a move. An advisory lock excludes other moves for as long as it is open. No
 * service may be using a source: its connections are looked for, and a change made by one is found at the end, when
 * source and target are compared.
 */
import { pino } from 'pino';
import type { Settings } from '../../config.ts';
import { dayMs } from '../../setting.ts';
import { tableSql } from '../layout.ts';
import { type MoveMark, type TransferSource, type TransferTarget, unfinishedMove } from '../transfer.ts';
import { tableTarget } from '../transfer-work.ts';
import { setLastCommit } from './commit-counter.ts';
import { type Connection, type Connections, openConnections } from './connections.ts';
import { spaceSchemas } from './counters.ts';
import { postgresLayout } from './dialect.ts';
import { ConnectionLost, isUndefined, sqlState } from './failure.ts';
import { identityOf, settleInstallation } from './installation.ts';
import { migrate } from './migrations.ts';
import { directorySchema, logsSchema, spaceSchemaPrefix, sqlIn } from './schemas.ts';
import { DatabaseReader, DatabaseWriter } from './transfer-rows.ts';

/** Holds the mark while a move into the database is unfinished. */
const markSchema = 'rowhouse_move';

/** Names a move's connections on the server; those of a service are named `rowhouse`. */
const applicationName = 'rowhouse move';
const serviceName = 'rowhouse';

/** Waits for the lock this long, because the server may take a moment to notice that an earlier move was killed. */
const lockTimeMs = 15_000;

/** "rwmv": the lock that a move holds. */
const moveLock = '1920429430';

/** @throws Error while a move into the database has not ended */
export async function refuseUnfinishedMove(connection: Connection): Promise<void> {
  if ((await schemas(connection, markSchema)).length > 0) throw new Error(unfinishedMove);
}

/**
 * For reading data that must not change meanwhile.
 * @throws Error when there are no data, or a service or a move is using them
 */
export async function openAtRest(url: string, name: string, settings: Settings): Promise<Connections> {
  const connections = await openForMove(url, settings);
  try {
    await refuseUnfinishedMove(connections);
    if ((await schemas(connections, directorySchema)).length === 0) throw new Error(`There are no data in ${name}.`);
    await refuseServices(connections);
    return connections;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** @throws Error when there are no data, or a service is using them */
export async function openDatabaseSource(url: string, name: string, settings: Settings): Promise<TransferSource> {
  const connections = await openAtRest(url, name, settings);
  try {
    await migrate(connections, 'directory');
    await migrate(connections, 'logs');
    const installation = await settleInstallation(connections, pino({ level: 'silent' }));
    for (const spaceId of await spaceSchemas(connections)) {
      const found = await identityOf(connections, { installation, spaceId });
      if (found?.installation === installation) await migrate(connections, spaceId);
    }
  } catch (error) {
    await connections.close();
    throw error;
  }
  return {
    name,
    async reading(work) {
      await refuseServices(connections);
      return readingFrom(connections, work);
    },
    close: () => connections.close(),
  };
}

export async function openDatabaseTarget(url: string, name: string, settings: Settings): Promise<TransferTarget> {
  const connections = await openForMove(url, settings);
  const writer = new DatabaseWriter(connections);
  const tables = tableTarget({
    layout: postgresLayout,
    run: (store, work) => sqlIn(connections, store).execute(work),
    transact: (store, work) =>
      connections.transaction('read committed', (connection) => sqlIn(connection, store).execute(work)),
  });
  return {
    name,
    reading: (work) => readingFrom(connections, work),
    async mark() {
      const mark = await storedMark(connections);
      if (mark === null) await refuseOccupied(connections, name);
      return mark;
    },
    async begin(mark) {
      await connections.transaction('read committed', async (connection) => {
        await connection.query({ text: `CREATE SCHEMA ${markSchema}` });
        await connection.query({ text: `CREATE TABLE ${markSchema}.mark (content text NOT NULL)` });
        await connection.query({ text: `INSERT INTO ${markSchema}.mark VALUES ($1)`, values: [JSON.stringify(mark)] });
      });
    },
    ...tables,
    makeStore: (store) => writer.makeStore(store),
    write: (store, table, rows) => writer.write(store, table, rows),
    async completeTable(spaceId, table) {
      await tables.completeTable(spaceId, table);
      await sqlIn(connections, spaceId).run(`ANALYZE ${tableSql(postgresLayout, table)}`);
    },
    async completeSpace(spaceId, state) {
      await tables.completeSpace(spaceId, state);
      await sqlIn(connections, spaceId).run(setLastCommit(state.lastCommit));
    },
    setSequences: (store, sequences) => writer.setSequences(store, sequences),
    async finish() {
      await connections.query({ text: `DROP SCHEMA ${markSchema} CASCADE` });
    },
    close: () => connections.close(),
  };
}

/**
 * One connection, which holds the lock for its lifetime, and has no short time limit.
 * @throws Error when the database can't be reached, or another move is using it
 */
async function openForMove(url: string, settings: Settings): Promise<Connections> {
  const connections = openConnections({
    url,
    max: 1,
    statementTimeMs: dayMs,
    lockTimeMs,
    parameters: { application_name: applicationName, idle_in_transaction_session_timeout: '0' },
    waitingMax: settings.readsQueuedMax,
    // The lock ends with the connection.
    settings: { ...settings, databaseConnectionLifeMs: 24 * dayMs },
  });
  try {
    await connections.query({ text: `SELECT pg_catalog.pg_advisory_lock(${moveLock})` });
    return connections;
  } catch (error) {
    await connections.close();
    if (sqlState(error) === '55P03') throw new Error('Another move is at work on this database.', { cause: error });
    throw error instanceof ConnectionLost ? new Error(error.message, { cause: error }) : error;
  }
}

function readingFrom<R>(connections: Connections, work: (reader: DatabaseReader) => Promise<R>): Promise<R> {
  return connections.transaction('repeatable read', (connection) => work(new DatabaseReader(connection)));
}

async function refuseServices(connection: Connection): Promise<void> {
  const { rows } = await connection.query({
    text: `SELECT count(*) FROM pg_catalog.pg_stat_activity
      WHERE datname = pg_catalog.current_database() AND application_name = $1`,
    values: [serviceName],
  });
  const count = Number(rows[0]?.[0]);
  if (count === 0) return;
  throw new Error(`A Rowhouse service is connected to the source (${count} connections). Stop every instance first.`);
}

async function refuseOccupied(connection: Connection, name: string): Promise<void> {
  const found: string[] = [];
  for (const prefix of [directorySchema, logsSchema, spaceSchemaPrefix]) {
    found.push(...(await schemas(connection, prefix)));
  }
  if (found.length === 0) return;
  throw new Error(`${name} is not empty: it has the schema ${found[0]}. A move overwrites nothing; name another one.`);
}

async function schemas(connection: Connection, prefix: string): Promise<string[]> {
  const { rows } = await connection.query({
    text: 'SELECT nspname FROM pg_catalog.pg_namespace WHERE pg_catalog.starts_with(nspname::text, $1) ORDER BY oid',
    values: [prefix],
  });
  return rows.map(([name]) => name as string);
}

async function storedMark(connection: Connection): Promise<MoveMark | null> {
  try {
    const { rows } = await connection.query({ text: `SELECT content FROM ${markSchema}.mark` });
    return JSON.parse(rows[0]?.[0] as string) as MoveMark;
  } catch (error) {
    if (isUndefined(error)) return null;
    throw error;
  }
}
