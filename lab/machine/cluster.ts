/**
 * Databases on all nodes of a Citus cluster. One whose extension is made and whose nodes know each other is a template on every
 * node: copying it takes a tenth of the time of making such a database, and needs no call between nodes.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './client.ts';

/** Each waits five seconds. */
const dropAttemptsMax = 12;

export interface Cluster {
  /** Addresses, the coordinator's first. */
  readonly nodes: readonly string[];
  /** The name of a database on each of them. */
  readonly template: string;
}

export interface PreparedCluster {
  readonly nodes: readonly string[];
  /** By which processes that are started find the cluster (`clusterOf`). */
  readonly variables: Readonly<Record<string, string>>;
  /** Drops the template. */
  remove(): Promise<void>;
}

/** The cluster whose coordinator this server is, where whoever started this process prepared one. */
export function clusterOf(server: string): Cluster | null {
  const given = process.env.ROWHOUSE_TEST_CLUSTER;
  const cluster = given === undefined ? null : (JSON.parse(given) as Cluster);
  return cluster !== null && new URL(cluster.nodes[0] as string).host === new URL(server).host ? cluster : null;
}

/**
 * @param address of a database on the coordinator that has the extension and its nodes; the user may make databases, and
 *   comes in on every node with the same name and password
 * @throws Error when the database is no coordinator's
 */
export async function prepareCluster(address: string): Promise<PreparedCluster> {
  const [coordinator, ...workers] = await nodesOf(address);
  if (coordinator === undefined || workers.length === 0) {
    throw new Error('Expected a database of a coordinator with workers, got one whose pg_dist_node names none.');
  }
  const nodes = [coordinator, ...workers];
  const template = `scratch_template_${randomBytes(4).toString('hex')}`;
  const remove = () => onEachNode(nodes, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  try {
    await onEachNode(nodes, `CREATE DATABASE ${template}`);
    await onEachNode(
      nodes.map((node) => new URL(`/${template}`, node).href),
      'CREATE EXTENSION citus',
    );
    await withClient(new URL(`/${template}`, coordinator).href, async (client) => {
      const place = (node: string) => [new URL(node).hostname, new URL(node).port];
      await client.query('SELECT citus_set_coordinator_host($1, $2)', place(coordinator));
      for (const worker of workers) await client.query('SELECT citus_add_node($1, $2)', place(worker));
    });
    for (const node of nodes) await refuseConnections(node, template);
  } catch (error) {
    await remove();
    throw error;
  }
  return { nodes, variables: { ROWHOUSE_TEST_CLUSTER: JSON.stringify({ nodes, template }) }, remove };
}

/**
 * A copy on every node.
 * @param source the name of a database that is copied; the template of empty ones where none is given
 */
export async function makeOnNodes({ nodes, template }: Cluster, name: string, source?: string): Promise<void> {
  if (source === undefined) return onEachNode(nodes, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  // Citus has a process of its own in each database, which stands in the way of a copy.
  for (const node of nodes) await refuseConnections(node, source);
  await onEachNode(nodes, `CREATE DATABASE ${name} TEMPLATE ${source}`);
  await onEachNode(nodes, `ALTER DATABASE ${source} ALLOW_CONNECTIONS true`);
}

/**
 * On every node. Who comes in meanwhile, as Citus's own processes do, may keep it for a while.
 * @throws DatabaseError when somebody keeps it for a minute
 */
export async function dropOnNodes(nodes: readonly string[], name: string): Promise<void> {
  const drop = async (node: string) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await refuseConnections(node, name);
        return await onEachNode([node], `DROP DATABASE ${name} WITH (FORCE)`);
      } catch (error) {
        const isInUse = error instanceof pg.DatabaseError && error.code === '55006';
        if (!isInUse || attempt === dropAttemptsMax) throw error;
      }
    }
  };
  await Promise.all(nodes.map(drop));
}

/** At the same time, in the database that each address names. */
export async function onEachNode(nodes: readonly string[], statement: string): Promise<void> {
  await Promise.all(nodes.map((node) => withClient(node, (client) => client.query(statement))));
}

async function refuseConnections(node: string, database: string): Promise<void> {
  await withClient(node, async (client) => {
    await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
  });
}

/** The coordinator's address as it was given, then the workers'. */
async function nodesOf(address: string): Promise<string[]> {
  return withClient(address, async (client) => {
    const { rows } = await client.query<{ nodename: string; nodeport: number }>(
      "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 AND isactive AND noderole = 'primary' ORDER BY groupid",
    );
    const workers = rows.map(({ nodename, nodeport }) => {
      const url = new URL(address);
      url.hostname = nodename;
      url.port = String(nodeport);
      return url.href;
    });
    return [address, ...workers];
  });
}
