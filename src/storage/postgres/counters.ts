/**
 * That no id of the directory comes again after an older schema of the directory was put back: before the first id is handed
 * out, its counters are compared with the data spaces that there are, and with the highest ids that these have seen.
 */
import type { Logger } from 'pino';
import { InitializedOnce } from '../counters.ts';
import { type HighestIds, higher, highestIdsOf, noIds, olderDirectory, seenColumns, seenIds } from '../identity.ts';
import type { Connection, Connections } from './connections.ts';
import { isUndefined } from './failure.ts';
import { counterSql, handedOut } from './installation.ts';
import { directorySchema, logsSchema, spaceSchemaPrefix } from './schemas.ts';

export interface CountersOptions {
  readonly connections: Connections;
  readonly installation: string;
  readonly log: Pick<Logger, 'warn'>;
}

export class Counters extends InitializedOnce {
  readonly #options: CountersOptions;

  constructor(options: CountersOptions) {
    super();
    this.#options = options;
  }

  protected override async settle(): Promise<void> {
    const { connections, log } = this.#options;
    const spaces = await spaceSchemas(connections);
    const seen = await this.#seen([logsSchema, ...spaces.map((id) => `${spaceSchemaPrefix}${id}`)]);
    if (this.isClosing) return;
    const known = await handedOut(connections);
    const wanted: (readonly [table: string, id: number])[] = seenIds
      .filter(({ name }) => seen[name] > known[name])
      .map(({ name, table }) => [table, seen[name]]);
    wanted.push(['data_space', spaces.reduce((last, id) => Math.max(last, id), 0)]);
    const raised: Record<string, number> = {};
    for (const [table, id] of wanted) if (await raise(connections, table, id)) raised[table] = id;
    if (Object.keys(raised).length > 0) log.warn({ raised }, olderDirectory);
  }

  /** One schema at a time. What is not there any more, or is another installation's, is refused when it is used. */
  async #seen(schemas: readonly string[]): Promise<HighestIds> {
    const { connections, installation } = this.#options;
    let seen = noIds;
    for (const schema of schemas) {
      if (this.isClosing) break;
      const text = `SELECT ${seenColumns} FROM "${schema}"._identity WHERE installation = $1`;
      try {
        const { rows } = await connections.query({ text, values: [installation] });
        if (rows[0] !== undefined) seen = higher(seen, highestIdsOf(rows[0]));
      } catch (error) {
        if (!isUndefined(error)) throw error;
      }
    }
    return seen;
  }
}

/** The numbers of the data spaces that there are schemas of. */
export async function spaceSchemas(connection: Connection): Promise<number[]> {
  const { rows } = await connection.query({
    text: `SELECT substr(nspname, ${spaceSchemaPrefix.length + 1}) FROM pg_catalog.pg_namespace
      WHERE nspname ~ '^${spaceSchemaPrefix}[0-9]+$' ORDER BY oid`,
  });
  return rows.map(([id]) => Number(id));
}

/** Nobody else adds a row meanwhile, so the counter never goes back. @returns whether it was lower */
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
