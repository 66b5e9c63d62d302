/** Where the data spaces of a cluster are, by the metadata of Citus. */
import type { Connection } from './connections.ts';
import { spaceSchemaPrefix } from './schemas.ts';

/** Whether the database has the extension `citus`. */
export async function isCluster(connection: Connection): Promise<boolean> {
  return (await connection.query({ text: `SELECT 1 FROM pg_extension WHERE extname = 'citus'` })).rows.length > 0;
}

/**
 * A row for each data space: `space_id`, the oid of its schema, and the group of its node, 0 for the coordinator. All
 * tables of a schema are in one colocation group, so any of them shows the node.
 */
export const placementSql = `SELECT substr(schema.nspname, ${spaceSchemaPrefix.length + 1})::bigint AS space_id,
    schema.oid AS schema_oid, coalesce(placed.groupid, 0) AS groupid
  FROM pg_namespace AS schema
  LEFT JOIN pg_dist_schema AS distributed ON distributed.schemaid = schema.oid
  LEFT JOIN LATERAL (
    SELECT placement.groupid FROM pg_dist_partition AS part
    JOIN pg_dist_shard AS shard ON shard.logicalrelid = part.logicalrelid
    JOIN pg_dist_placement AS placement ON placement.shardid = shard.shardid
    WHERE part.colocationid = distributed.colocationid LIMIT 1
  ) AS placed ON true
  WHERE schema.nspname ~ '^${spaceSchemaPrefix}[0-9]+$'`;
