/**
 * A plain PostgreSQL database that simulates the coordinator of a Citus cluster, so that the service writes and reads
 * as on Citus. Each table of a data space acts as its own shard, on a worker that is the same server; nothing is
 * distributed.
 */
import { after } from 'node:test';
import { withClient } from '../../../lab/machine/client.ts';

/** Functions that only need to return something. */
const functions = {
  'shard_name(relation regclass, shard bigint) RETURNS text': `SELECT format('%I.%I', relnamespace::regnamespace::text, relname)
    FROM pg_class WHERE oid = relation`,
  'lock_shard_metadata(mode integer, shards bigint[]) RETURNS void': 'SELECT',
  'create_distributed_function(made regprocedure, distributed_by text DEFAULT NULL, colocate_with text DEFAULT NULL) RETURNS void':
    'SELECT',
  'citus_total_relation_size(relation regclass) RETURNS bigint': 'SELECT pg_total_relation_size(relation)',
};

const statements = [
  'SET allow_system_table_mods = on',
  `CREATE VIEW pg_catalog.pg_dist_shard AS SELECT oid::regclass AS logicalrelid, oid::bigint AS shardid FROM pg_class
   WHERE relkind = 'r' AND relnamespace::regnamespace::text LIKE 'rowhouse\\_space\\_%'`,
  `CREATE VIEW pg_catalog.pg_dist_schema AS SELECT oid AS schemaid, oid::integer AS colocationid FROM pg_namespace`,
  'CREATE VIEW pg_catalog.pg_dist_partition AS SELECT oid::regclass AS logicalrelid, relnamespace::integer AS colocationid FROM pg_class',
  'CREATE VIEW pg_catalog.pg_dist_placement AS SELECT shardid, 1 AS groupid FROM pg_dist_shard',
  'CREATE VIEW pg_catalog.pg_dist_local_group AS SELECT 1 AS groupid',
  `CREATE TABLE pg_catalog.pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, isactive boolean,
   noderole text, shouldhaveshards boolean, hasmetadata boolean, metadatasynced boolean)`,
  ...Object.entries(functions).map(
    ([name, body]) => `CREATE FUNCTION pg_catalog.${name} LANGUAGE sql AS '${body.replaceAll("'", "''")}'`,
  ),
  `INSERT INTO pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
   SELECT 1000000, 'citus', 10, oid, false, '13.2-1' FROM pg_namespace WHERE nspname = 'pg_catalog'`,
];

/** Makes this process create each storage there in this way. @param server address, whose user is the superuser */
export async function standInForCitus(server: string): Promise<void> {
  const template = 'citus_stand_in';
  await withClient(server, (client) => client.query(`CREATE DATABASE ${template}`));
  await withClient(new URL(`/${template}`, server).href, async (client) => {
    for (const statement of statements) await client.query(statement);
    const { hostname, port } = new URL(server);
    await client.query(`INSERT INTO pg_dist_node VALUES (1, 1, $1, $2, true, 'primary', true, true, true)`, [
      hostname,
      port,
    ]);
  });
  process.env.ROWHOUSE_TEST_CLUSTER = JSON.stringify({ nodes: [server], template });
  after(() => {
    delete process.env.ROWHOUSE_TEST_CLUSTER;
  });
}
