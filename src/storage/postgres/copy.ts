/** Copying data spaces: the target is there completely or not at all, and nobody is kept from writing to the source. */
import type { Table } from '../../schema/model.ts';
import { type HighestIds, sameIdentity, wrongIdentity } from '../identity.ts';
import { audienceColumn, createIndexes, createTable, seqColumn } from '../layout.ts';
import type { Connection, Connections } from './connections.ts';
import { readStored } from './definitions.ts';
import { postgresLayout as layout } from './dialect.ts';
import { isRetryable, isUndefined, serviceError } from './failure.ts';
import { giveIdentity, handedOut } from './installation.ts';
import { lockStore, makeEmpty, takeStep } from './migrations.ts';
import { inStore } from './schemas.ts';

/** How often it is tried when the source's tables are changed under it. */
const attemptsMax = 3;

/** Tables of ours whose rows are copied as they are; the history of transactions is not, and `_space` has its row. */
const copied = ['_table', '_column', '_index', '_tombstone', '_audience_member'];

export interface CopyRequest {
  readonly source: number;
  readonly target: number;
  readonly installation: string;
}

/**
 * Makes the target's schema from one consistent state of the source's, without its history of transactions.
 * @throws ServiceError `internal`, also when the target is there already
 */
export async function copySpace(maintenance: Connections, request: CopyRequest): Promise<void> {
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
  await run(`UPDATE ${to('"~"._space')} AS space SET definition_version = stored.definition_version,
    next_table_id = stored.next_table_id FROM ${from('"~"._space')} AS stored`);
  for (const table of definition.tables.values()) await copyTable(run, table, from, to);
}

type InSpace = (sql: string) => string;

async function copyTable(
  run: (sql: string) => Promise<unknown>,
  table: Table,
  from: InSpace,
  to: InSpace,
): Promise<void> {
  const columns = [...table.columns.map(({ name }) => layout.column(name)), audienceColumn, seqColumn].join(', ');
  const name = layout.table(table.name);
  await run(to(createTable(layout, table)));
  await run(`INSERT INTO ${to(name)} (${columns}) SELECT ${columns} FROM ${from(name)}`);
  for (const sql of createIndexes(layout, table)) await run(to(sql));
  await run(to(`ANALYZE ${name}`));
}
