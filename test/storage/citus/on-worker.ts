/** Data space 1 on its worker, for tests on a cluster. */
import type { TestContext } from 'node:test';
import { openConnections } from '../../../src/storage/postgres/connections.ts';
import { databasesOf } from '../postgres/database.ts';
import { type OpenOptions, taskScratch } from '../scratch.ts';

export type OnWorker = Awaited<ReturnType<typeof onWorker>>;

export async function onWorker(t: TestContext, { settings, ...options }: OpenOptions = {}) {
  const opened = await taskScratch(t, { ...options, settings: { writeTimeMs: 60_000, ...settings } });
  const { storage, scratch } = opened;
  const cluster = storage.cluster!;
  const nodes = await cluster.nodes();
  const workers = nodes.filter(({ takesSpaces }) => takesSpaces).map(({ host, port }) => `${host}:${port}`);
  const nodeOf = async () => (await cluster.spaces())[0]!.node;
  const outside = openConnections({
    url: opened.settings.storage,
    max: 2,
    statementTimeMs: 60_000,
    waitingMax: 10,
    settings: opened.settings,
  });
  scratch.closeFirst(() => outside.close());
  /** Of all workers. */
  const databases = databasesOf(scratch).filter((database) => workers.includes(new URL(database).host));
  return {
    ...opened,
    /** Connections to the coordinator. */
    outside,
    databases,
    nodeOf,
    /** The database of the worker that has the data space. */
    async databaseThere(): Promise<string> {
      const here = await nodeOf();
      return databases.find((database) => new URL(database).host === here)!;
    },
    async moveAway() {
      const from = await nodeOf();
      await cluster.moveSpace(1, workers.find((worker) => worker !== from)!, () => {});
    },
  };
}
