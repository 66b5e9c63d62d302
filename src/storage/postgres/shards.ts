/**
 * The names of a data space's tables on their worker in a cluster. There each is a shard: a table named after the
 * distributed one and the number of the shard.
 */
import type { Connection } from './connections.ts';
import { schemaOf, spaceSchema } from './schemas.ts';

/** The address of a server within its cluster. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The tables of a schema with the functions of `citus.ts`, the oldest first; no node if it can't be queried directly.
 */
const shardsSql = `SELECT c.relname, pg_catalog.shard_name(s.logicalrelid, s.shardid), s.shardid, node.nodename, node.nodeport
  FROM pg_catalog.pg_namespace n
  JOIN pg_catalog.pg_dist_schema d ON d.schemaid = n.oid
  JOIN pg_catalog.pg_dist_partition part ON part.colocationid = d.colocationid
  JOIN pg_catalog.pg_dist_shard s ON s.logicalrelid = part.logicalrelid
  JOIN pg_catalog.pg_class c ON c.oid = s.logicalrelid
  LEFT JOIN pg_catalog.pg_dist_placement placed ON placed.shardid = s.shardid
  LEFT JOIN pg_catalog.pg_dist_node node ON node.groupid = placed.groupid AND node.groupid <> 0 AND node.noderole = 'primary'
    AND node.isactive AND node.hasmetadata AND node.metadatasynced
  WHERE n.nspname = $1 AND EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid AND p.proname = '_run')
  ORDER BY s.shardid`;

export class Shards {
  /** The number of one shard; a data space is moved with all its shards. */
  readonly first: string;
  /** The worker, if it can be queried directly. */
  readonly address: NodeAddress | null;
  readonly schema: string;
  readonly #names: ReadonlyMap<string, string>;

  constructor(spaceId: number, first: string, address: NodeAddress | null, names: ReadonlyMap<string, string>) {
    this.schema = `"${schemaOf(spaceId)}"`;
    this.first = first;
    this.address = address;
    this.#names = names;
  }

  /** Names of the tables, without their schema. */
  get tables(): Iterable<string> {
    return this.#names.keys();
  }

  /** @param name as in SQL. @throws Error for a table that did not exist when the shards were looked up */
  named(name: string): string {
    const table = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
    const shard = this.#names.get(table);
    if (shard === undefined) throw new UnknownTable(`The table ${table} is not among the shards of ${this.schema}.`);
    return shard;
  }

  /** SQL of the dialect with the tables' names on the worker. @throws UnknownTable */
  text(sql: string): string {
    return sql.replace(/"~"\.("(?:[^"]|"")+"|\w+)(\(?)/g, (_, name: string, isFunction: string) =>
      isFunction === '' ? this.named(name) : `${this.schema}.${name}(`,
    );
  }
}

/** The tables of the data space were changed since its shards were looked up. */
export class UnknownTable extends Error {}

/** @returns null for a data space that is not sharded, or was created before it had functions on its worker */
export async function shardsOf(connection: Connection, spaceId: number): Promise<Shards | null> {
  const { rows } = await connection.query({ text: shardsSql, values: [spaceSchema(spaceId)] });
  const [first] = rows;
  if (first === undefined) return null;
  const [, , shard, host, port] = first;
  // The schema in quotes, by which connections count the data spaces that they use.
  const names = rows.map(([table, name]) => {
    const own = String(name).slice(spaceSchema(spaceId).length);
    return [String(table), `"${spaceSchema(spaceId)}"${own}`] as const;
  });
  const address = host == null ? null : { host, port: Number(port) };
  return new Shards(spaceId, String(shard), address, new Map(names));
}
