/**
 * The tables of a data space on a cluster as they are called on their worker, where each is a shard: a table of its own, named
 * after the distributed one and the number of the shard.
 */
import type { Connection } from './connections.ts';
import { schemaOf, spaceSchema } from './schemas.ts';

/** A server as the nodes of its cluster call it. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The tables of a schema that has the functions of `citus.ts`, the oldest first; no node where it can't be asked for them itself. */
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
  /** The number of one of them; a data space is moved with all of them. */
  readonly first: string;
  /** The worker, where it can be asked itself. */
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

  /** @param name as in SQL. @throws Error when there was no such table when the shards were looked up */
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

/** @returns null for a data space that is not sharded, or was made before it had functions on its worker */
export async function shardsOf(connection: Connection, spaceId: number): Promise<Shards | null> {
  const { rows } = await connection.query({ text: shardsSql, values: [spaceSchema(spaceId)] });
  const [first] = rows;
  if (first === undefined) return null;
  const [, , shard, host, port] = first;
  // The schema in quotes: by it connections count the data spaces that they serve.
  const names = rows.map(([table, name]) => {
    const own = String(name).slice(spaceSchema(spaceId).length);
    return [String(table), `"${spaceSchema(spaceId)}"${own}`] as const;
  });
  const address = host == null ? null : { host, port: Number(port) };
  return new Shards(spaceId, String(shard), address, new Map(names));
}
