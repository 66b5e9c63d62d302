/**
 * Databases on all nodes of a Citus cluster. A database with the extension and with registered nodes is a template on
 * every node: copying it takes a tenth of the time of creating such a database, and needs no calls between nodes.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { withClient } from './client.ts';

/** Each attempt waits five seconds. */
const dropAttemptsMax = 12;

export interface Cluster {
  /** The addresses of the nodes, the coordinator first. */
  readonly nodes: readonly string[];
  /** The name of the template database, which each node has. */
  readonly template: string;
}

export interface PreparedCluster {
  readonly nodes: readonly string[];
  /** Environment variables by which child processes find the cluster (`clusterOf`). */
  readonly variables: Readonly<Record<string, string>>;
  /** Drops the template. */
  remove(): Promise<void>;
}

/** The cluster of which this server is the coordinator, if the parent process prepared one. */
export function clusterOf(server: string): Cluster | null {
  const given = process.env.ROWHOUSE_TEST_CLUSTER;
  const cluster = given === undefined ? null : (JSON.parse(given) as Cluster);
  return cluster !== null && new URL(cluster.nodes[0] as string).host === new URL(server).host ? cluster : null;
}

/**
 * @param address of a database on the coordinator with the extension and the nodes; the user may create databases, and
 * has the same name and password on every node
 * @throws Error when the database is not a coordinator's
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
 * @param source the name of the database to copy; by default the template of empty ones
 */
export async function makeOnNodes({ nodes, template }: Cluster, name: string, source?: string): Promise<void> {
  if (source === undefined) return onEachNode(nodes, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  // Citus runs a background process in each database, which prevents copying it.
  for (const node of nodes) await refuseConnections(node, source);
  await onEachNode(nodes, `CREATE DATABASE ${name} TEMPLATE ${source}`);
  await onEachNode(nodes, `ALTER DATABASE ${source} ALLOW_CONNECTIONS true`);
}

/**
 * Drops the database on every node. New connections, such as those of Citus's processes, may delay this. @throws
 * DatabaseError when it is still in use after a minute
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

/** Runs it on all nodes at once, in the database of each address. */
export async function onEachNode(nodes: readonly string[], statement: string): Promise<void> {
  await Promise.all(nodes.map((node) => withClient(node, (client) => client.query(statement))));
}

async function refuseConnections(node: string, database: string): Promise<void> {
  await withClient(node, async (client) => {
    await client.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
  });
}

/** The coordinator's address as given, then the workers'. */
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
