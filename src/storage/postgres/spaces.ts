/** The data spaces, each a schema: definitions, single records, queries, writes, and copies. */

import type { NumberedTable } from '../../schema/model.ts';
import { storedName } from '../../schema/names.ts';
import type { DataSpaces } from '../contract.ts';
import { type HighestIds, sameIdentity, wrongIdentity } from '../identity.ts';
import { audienceColumn, createIndexes, createTable, seqColumn, tableSql } from '../layout.ts';
import { finishedJob, rehearse } from '../rehearsal.ts';
import type { Retention } from '../retention.ts';
import type { Deployment } from './citus.ts';
import { lastCommit, setLastCommit } from './commit-counter.ts';
import type { Connection, Connections } from './connections.ts';
import type { Definitions } from './definitions.ts';
import { readStored } from './definitions.ts';
import { postgresLayout as layout } from './dialect.ts';
import { explain } from './explain.ts';
import { isRetryable, isUndefined, serviceError } from './failure.ts';
import { giveIdentity, handedOut, makeSpace } from './installation.ts';
import { lockStore, makeEmpty, takeStep } from './migrations.ts';
import type { Records } from './records.ts';
import { inStore, spaceSchema } from './schemas.ts';
import type { Queries } from './select.ts';
import { sizesOf } from './table-sizes.ts';
import type { Writers } from './writers.ts';

export interface SpacesOptions {
  readonly deployment: Pick<Deployment, 'sizesSql'>;
  readonly maintenance: Connections;
  readonly installation: string;
  readonly definitions: Definitions;
  readonly records: Records;
  readonly queries: Queries;
  readonly writers: Pick<Writers, 'write'>;
  readonly retention: Pick<Retention, 'wrote'>;
}

export function openSpaces(options: SpacesOptions): DataSpaces {
  const { deployment, maintenance, installation, definitions, records, queries, writers, retention } = options;
  const definition = (spaceId: number) => definitions.definition(spaceId);
  const reading = { spaces: { definition, select: queries.select }, dialect: layout };
  return {
    async create(spaceId) {
      try {
        await makeSpace(maintenance, installation, spaceId, await handedOut(maintenance));
      } catch (error) {
        throw serviceError(error, `making data space ${spaceId}`);
      }
    },
    async copy(source, target) {
      // Brings the source to the newest layout, after verifying its identity.
      await definitions.refresh(source);
      await copySpace(maintenance, { source, target, installation });
    },
    definition,
    refresh: (spaceId) => definitions.refresh(spaceId),
    define: (spaceId, change) => {
      retention.wrote(spaceId);
      return definitions.define(spaceId, change);
    },
    rehearse: (spaceId, change, parts) => rehearse(reading, spaceId, change, parts),
    finishedJob: (spaceId, id) => finishedJob(reading, spaceId, id),
    record: (spaceId, statement, values) => records.record(spaceId, statement, values),
    select: (spaceId, request) => queries.select(spaceId, request),
    explain: (spaceId, bound) => explain(reading.spaces, spaceId, bound),
    async size(spaceId) {
      const tables = await bytesOf(maintenance, deployment, spaceId);
      return tables.values().reduce((sum, bytes) => sum + bytes, 0);
    },
    async sizes(spaceId, names) {
      if (names.length === 0) return [];
      return sizesOf(reading.spaces, spaceId, names, await bytesOf(maintenance, deployment, spaceId));
    },
    async write(spaceId, batch) {
      retention.wrote(spaceId);
      const outcome = await writers.write(spaceId, batch);
      if (outcome.kind === 'stale') await definitions.refresh(spaceId);
      return outcome;
    },
  };
}

/** Bytes of each table with its indexes, by its name in the database. */
async function bytesOf(
  connections: Connections,
  { sizesSql }: SpacesOptions['deployment'],
  spaceId: number,
): Promise<ReadonlyMap<string, number>> {
  try {
    const { rows } = await connections.query({ text: sizesSql, values: [spaceSchema(spaceId)] });
    return new Map(rows.map(([name, bytes]) => [String(name), Number(bytes)]));
  } catch (error) {
    throw serviceError(error, `measuring data space ${spaceId}`);
  }
}

/** How often a copy is tried when the source's tables change during it. */
const attemptsMax = 3;

/**
 * Internal tables whose rows are copied unchanged; the history of transactions is not copied, and `_space` and
 * `_counter` already have their rows.
 */
const copied = ['_table', '_column', '_index', '_bin', '_former_name', '_tombstone', '_audience_member'];

export interface CopyRequest {
  readonly source: number;
  readonly target: number;
  readonly installation: string;
}

/**
 * Makes the target's schema from one consistent state of the source, without its history of transactions.
 * @throws ServiceError `internal`, also when the target already exists
 */
async function copySpace(maintenance: Connections, request: CopyRequest): Promise<void> {
  const { source, target } = request;
  for (let attempt = 1; ; attempt++) {
    try {
      const ids = await handedOut(maintenance);
      await maintenance.transaction('repeatable read', (connection) => copy(connection, request, ids));
      return;
    } catch (error) {
      const mayWorkLater = isRetryable(error) || isUndefined(error);
      if (!mayWorkLater || attempt === attemptsMax) throw serviceError(error, `copying ${source} to ${target}`);
    }
  }
}

async function copy(
  connection: Connection,
  { source, target, installation }: CopyRequest,
  ids: HighestIds,
): Promise<void> {
  const run = (text: string) => connection.query({ text });
  await lockStore(connection, target);
  await makeEmpty(connection, target);
  while (await takeStep(connection, target));

  await giveIdentity(connection, { installation, spaceId: target }, ids);

  const { definition, identity } = await readStored(connection, source);
  const expected = { installation, spaceId: source };
  if (identity === null || !sameIdentity(identity, expected)) throw wrongIdentity(identity, expected);
  const [from, to] = [(sql: string) => inStore(sql, source), (sql: string) => inStore(sql, target)];
  for (const name of copied) await run(`INSERT INTO ${to(`"~".${name}`)} SELECT * FROM ${from(`"~".${name}`)}`);
  // Read and written separately, because on a cluster the two may be on different nodes.
  const { rows } = await run(`SELECT definition_version, next_table_id FROM ${from('"~"._space')}`);
  const [version, nextTableId] = (rows[0] ?? []).map(Number);
  await run(`UPDATE ${to('"~"._space')} SET definition_version = ${version}, next_table_id = ${nextTableId}`);
  const commits = await run(from(lastCommit));
  await run(to(setLastCommit(Number(commits.rows[0]?.[0]))));
  for (const table of definition.catalogue.tables) await copyTable(run, table, from, to);
}

type InSpace = (sql: string) => string;

async function copyTable(
  run: (sql: string) => Promise<unknown>,
  table: NumberedTable,
  from: InSpace,
  to: InSpace,
): Promise<void> {
  const columns = [...table.columns.map((column) => layout.column(storedName(column))), audienceColumn, seqColumn].join(
    ', ',
  );
  const name = tableSql(layout, table);
  await run(to(createTable(layout, table)));
  await run(`INSERT INTO ${to(name)} (${columns}) SELECT ${columns} FROM ${from(name)}`);
  for (const sql of createIndexes(layout, table)) await run(to(sql));
  await run(to(`ANALYZE ${name}`));
}
