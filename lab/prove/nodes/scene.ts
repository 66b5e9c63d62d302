/** A service with data spaces on the workers of a cluster, in a separate database on every node. */
import { pino } from 'pino';
import { systemEnvironment } from '../../../src/environment.ts';
import { loadSettings } from '../../../src/load-settings.ts';
import type { Cluster } from '../../../src/storage/cluster.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { prepareCluster } from '../../machine/cluster.ts';
import { startServer } from '../../service/process.ts';
import type { MadeSpace } from '../../service/spaces.ts';
import { defineTables, inStorage, proofSettings } from '../folder.ts';
import { NodesLoad } from './load.ts';

export interface Scene {
  readonly cluster: Cluster;
  readonly spaces: readonly MadeSpace[];
  readonly load: NodesLoad;
  readonly port: number;
  readonly storage: string;
}

/**
 * @param server the address of a database on the coordinator with the extension and the nodes
 * @throws Error without one
 */
export async function onCluster<T>(
  server: string | undefined,
  spaceCount: number,
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  if (server === undefined) {
    throw new Error('--storage: expected the address of a database on the coordinator of a Citus cluster, got none.');
  }
  const prepared = await prepareCluster(server);
  Object.assign(process.env, prepared.variables);
  try {
    return await inStorage(server, async ({ settings: stored }) => {
      const service = await startServer(stored, { spaces: spaceCount, settings: proofSettings });
      await defineTables(service, 60_000);
      const settings = { ...loadSettings({}), ...stored };
      const storage = await openStorage(settings, systemEnvironment, pino({ level: 'silent' }));
      try {
        const { cluster } = storage;
        if (cluster === null) throw new Error('--storage: expected a database with the extension Citus.');
        const { port, spaces } = service;
        return await work({ cluster, spaces, load: new NodesLoad(port, spaces), port, storage: stored.storage });
      } finally {
        await storage.close();
        await service.stop();
      }
    });
  } finally {
    await prepared.remove();
  }
}

/** `host:port` of the workers that take data spaces. */
export async function workersOf(cluster: Cluster): Promise<string[]> {
  const nodes = (await cluster.nodes()).filter(({ role, takesSpaces }) => role === 'worker' && takesSpaces);
  if (nodes.length < 2) throw new Error(`Expected two workers at least that take data spaces, got ${nodes.length}.`);
  return nodes.map(({ host, port }) => `${host}:${port}`);
}
