/**
 * Gives the installation in a database an identity, and its schemas a copy of it. Schemas older than identities get
 * theirs once, at the upgrade. Afterwards, a schema without one is refused, whatever it contains.
 */
import type { Logger } from 'pino';
import {
  type HighestIds,
  highestIdsOf,
  type Identity,
  noIds,
  occupied,
  sameIdentity,
  seenColumns,
  seenIds,
  storedIdentity,
  valuesOf,
  wrongIdentity,
} from '../identity.ts';
import type { Connection, Connections } from './connections.ts';
import { isUndefined } from './failure.ts';
import { lockStore, makeEmpty, migrate, takeStep } from './migrations.ts';
import { directorySchema, inStore, logsSchema, schemaOf, spaceSchema, spaceSchemaPrefix } from './schemas.ts';

/** @returns the id of the installation. @throws Error when the logs belong to another one */
export async function settleInstallation(
  maintenance: Connections,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<string> {
  const { rows } = await maintenance.query({ text: `SELECT id, is_settled FROM ${directorySchema}.installation` });
  const [installation, isSettled] = rows[0] as unknown as [string, string];
  if (isSettled === '0') await settleSchemas(maintenance, installation, log);
  await settleLogs(maintenance, installation);
  return installation;
}

export async function installationIn(connection: Connection): Promise<string> {
  return (await connection.query({ text: `SELECT id FROM ${directorySchema}.installation` })).rows[0]?.[0] as string;
}

/** May be interrupted, and run by several at once. */
async function settleSchemas(
  maintenance: Connections,
  installation: string,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  const { rows } = await maintenance.query({
    text: `SELECT s.id FROM ${directorySchema}.data_space s JOIN pg_catalog.pg_namespace n
      ON n.nspname = '${spaceSchemaPrefix}' || s.id ORDER BY s.id`,
  });
  const ids = await handedOut(maintenance);
  log.info(
    { installation, dataSpaces: rows.length },
    'The id of the installation is being written to its data spaces, which have none.',
  );
  for (const identity of [null, ...rows.map(([id]) => Number(id))].map((spaceId) => ({ installation, spaceId }))) {
    try {
      await migrate(maintenance, identity.spaceId ?? 'logs');
      // The ids that the schema has seen were not recorded, so every id handed out counts as seen.
      await giveIdentity(maintenance, identity, ids);
    } catch (error) {
      log.warn(
        { err: error, schema: schemaOf(identity.spaceId ?? 'logs') },
        'A schema was not given the id of the installation.',
      );
    }
  }
  await maintenance.query({ text: `UPDATE ${directorySchema}.installation SET is_settled = 1` });
}

/** Logs without an entry were just created and get the identity. */
export async function settleLogs(maintenance: Connections, installation: string): Promise<void> {
  const identity = { installation, spaceId: null };
  const { rows } = await maintenance.query({ text: `SELECT EXISTS (SELECT FROM ${logsSchema}.entry)` });
  if (rows[0]?.[0] === 'f') await giveIdentity(maintenance, identity, noIds);
  const found = await identityOf(maintenance, identity);
  if (found === null || !sameIdentity(found, identity)) {
    throw new Error(`${logsSchema}: ${wrongIdentity(found, identity).message}`);
  }
}

/** Does nothing to a schema that has an identity. */
export async function giveIdentity(connection: Connection, identity: Identity, ids: HighestIds): Promise<void> {
  const { installation, spaceId } = identity;
  await connection.query({
    text: `UPDATE "${schemaOf(identity.spaceId ?? 'logs')}"._identity SET (installation, space_id, ${seenColumns}) =
      ($1::text, $2::bigint, ${valuesOf(ids).join(', ')}) WHERE installation IS NULL`,
    values: [installation, spaceId === null ? null : String(spaceId)],
  });
}

/** The identity stored in a schema; null when there is none. */
export async function identityOf(connection: Connection, expected: Identity): Promise<Identity | null> {
  try {
    const { rows } = await connection.query({
      text: `SELECT installation, space_id FROM "${schemaOf(expected.spaceId ?? 'logs')}"._identity`,
    });
    return storedIdentity(rows[0]?.[0], rows[0]?.[1]);
  } catch (error) {
    if (isUndefined(error)) return null;
    throw error;
  }
}

/**
 * Creates the schema, in one transaction. Does nothing when it exists and was never used.
 * @param mayBeUsed for a move, which continues what it began
 * @throws Error when it exists and has tables, or another identity
 */
export async function makeSpace(
  maintenance: Connections,
  installation: string,
  spaceId: number,
  ids: HighestIds,
  mayBeUsed = false,
): Promise<void> {
  await maintenance.transaction('read committed', async (connection) => {
    await lockStore(connection, spaceId);
    const identity = { installation, spaceId };
    const { rows } = await connection.query({
      text: 'SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 LIMIT 1',
      values: [spaceSchema(spaceId)],
    });
    if (rows.length === 0) {
      await makeEmpty(connection, spaceId);
      while (await takeStep(connection, spaceId));
      return giveIdentity(connection, identity, ids);
    }
    await assertOurs(connection, identity);
    if (mayBeUsed) return;
    const used = await connection.query({ text: inStore('SELECT 1 FROM "~"._space WHERE next_table_id > 1', spaceId) });
    if (used.rows.length > 0) throw occupied(identity);
  });
}

/** A failed read would abort the transaction, so the table is looked up first. */
async function assertOurs(connection: Connection, expected: Identity): Promise<void> {
  const { rows } = await connection.query({
    text: `SELECT pg_catalog.to_regclass($1)`,
    values: [`"${schemaOf(expected.spaceId ?? 'logs')}"._identity`],
  });
  const found = rows[0]?.[0] === null ? null : await identityOf(connection, expected);
  if (found === null || !sameIdentity(found, expected)) throw wrongIdentity(found, expected);
}

/** The last id from the table's counter. */
export const counterSql = (table: string) =>
  `(SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${directorySchema}.${table}_id_seq)`;

/** The highest ids that the directory ever handed out, including those of transactions that were rolled back. */
export async function handedOut(connection: Connection): Promise<HighestIds> {
  const { rows } = await connection.query({
    text: `SELECT ${seenIds.map(({ table }) => counterSql(table)).join(', ')}`,
  });
  return highestIdsOf(rows[0] ?? []);
}
