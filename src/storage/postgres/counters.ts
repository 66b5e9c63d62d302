/** The schemas of an installation, for the comparison with its counters (`storage/counters.ts`). */
import type { CounterSource } from '../counters.ts';
import { highestIdsOf, seenColumns } from '../identity.ts';
import type { Connection, Connections } from './connections.ts';
import { isUndefined } from './failure.ts';
import { counterSql } from './installation.ts';
import { directorySchema, spaceSchemaPrefix, sqlIn } from './schemas.ts';

export function counterSource(connections: Connections, installation: string): CounterSource {
  return {
    spaces: () => spaceSchemas(connections),
    async seen(store) {
      const text = `SELECT ${seenColumns} FROM "~"._identity WHERE installation = $1`;
      try {
        const [row] = await sqlIn(connections, store).run(text, [installation]);
        return row === undefined ? null : highestIdsOf(row);
      } catch (error) {
        if (isUndefined(error)) return null;
        throw error;
      }
    },
    async raise(ids) {
      const tables = [...ids.keys()];
      const { rows } = await connections.query({ text: `SELECT ${tables.map(counterSql).join(', ')}` });
      const raised = new Map<string, number>();
      for (const [index, [table, id]] of [...ids].entries()) {
        if (id > Number(rows[0]?.[index]) && (await raise(connections, table, id))) raised.set(table, id);
      }
      return raised;
    },
  };
}

/** The numbers of the data spaces that have schemas. */
export async function spaceSchemas(connection: Connection): Promise<number[]> {
  const { rows } = await connection.query({
    text: `SELECT substr(nspname, ${spaceSchemaPrefix.length + 1}) FROM pg_catalog.pg_namespace
      WHERE nspname ~ '^${spaceSchemaPrefix}[0-9]+$' ORDER BY oid`,
  });
  return rows.map(([id]) => Number(id));
}

/** Blocks new rows meanwhile, so that the counter never goes back. @returns whether it was lower */
function raise(connections: Connections, table: string, id: number): Promise<boolean> {
  return connections.transaction('read committed', async (connection) => {
    const isLower = `${counterSql(table)} < ${id}`;
    const { rows } = await connection.query({ text: `SELECT 1 WHERE ${isLower}` });
    if (rows.length === 0) return false;
    await connection.query({ text: `LOCK TABLE ${directorySchema}."${table}" IN SHARE ROW EXCLUSIVE MODE` });
    const text = `SELECT pg_catalog.setval('${directorySchema}.${table}_id_seq', ${id}) WHERE ${isLower}`;
    return (await connection.query({ text })).rows.length > 0;
  });
}
