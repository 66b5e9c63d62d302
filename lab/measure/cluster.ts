/**
 * `npm run bench:cluster`: compares the service on a Citus cluster, with reads on the workers and with all reads
 * through the coordinator, with the service on a plain database of the coordinator's server.
 */

import { withClient } from '../machine/client.ts';
import { prepareCluster } from '../machine/cluster.ts';
import { numbers, path, positive, whole, word } from '../machine/command.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import { fill } from './fill.ts';
import { runRight } from './load.ts';
import { row } from './measure.ts';
import { poolText } from './pool.ts';
import { begin } from './quiet.ts';
import { type Server, startServiceOnPostgres } from './servers.ts';
import { type Work, works } from './works.ts';

const flags = begin(
  `Usage: npm run bench:cluster -- --storage <url> [flags]
Measures three services in turns. Rates are medians of the rounds, and a ratio is the median of the ratios of each round, with the
lowest and the highest. Processor time is that of each request, of the service and of all connections to its databases; it is
known where all nodes are on this machine.

${works.map(({ name, summary }) => `  ${name.padEnd(21)} ${summary}`).join('\n')}`,
  {
    storage: path('url', 'of a database on the coordinator that has the extension and all nodes. Required'),
    only: word('get', 'works, with commas between them'),
    rounds: whole(7, 'how often each service is measured', 1),
    seconds: positive(2, 'how long each time, after a warm-up'),
    connections: numbers('32', 'how many'),
    rows: whole(1_000, 'in each data space', 1),
    spaces: whole(1, 'data spaces that the requests go to in turn', 1),
  },
);
if (flags.storage === null) throw new Error('--storage: expected the address of a database on the coordinator.');
const storage = flags.storage;
const chosen = flags.only.split(',').map((name) => {
  const work = works.find((one) => one.name === name);
  if (work === undefined) throw new Error(`--only: there is no "${name}"; see --help.`);
  return work;
});

interface Measured {
  readonly perSecond: number;
  readonly serviceUs: number;
  readonly databaseUs: number;
}

interface Measurable extends Server {
  /** Addresses of its database on each node. */
  readonly databases: readonly string[];
}

// Created before the cluster is registered, so that it is not created on all nodes.
const plainDatabase = await makeDatabase(storage);
const cluster = await prepareCluster(storage);
Object.assign(process.env, cluster.variables);
const database = await makeDatabase(storage);
try {
  await measureAll();
} finally {
  await database.remove();
  await cluster.remove();
  await plainDatabase.remove();
}

async function measureAll(): Promise<void> {
  const databases = cluster.nodes.map((node) => new URL(new URL(database.url).pathname, node).href);
  const plain = await startServiceOnPostgres(plainDatabase.url, flags.spaces);
  const workers = await startServiceOnPostgres(database.url, flags.spaces);
  const through = { databaseNodeConnectionsMax: 0 };
  const coordinator = await startServiceOnPostgres(database.url, 0, workers.spaces, through);
  for (const { port, spaces } of [plain, workers]) await fill(port, spaces, flags.rows);
  const services: Measurable[] = [
    { ...plain, name: 'plain', databases: [plainDatabase.url] },
    { ...workers, name: 'cluster', databases },
    { ...coordinator, name: 'cluster, reads through the coordinator', databases },
  ];
  console.log(`${flags.machine} ${poolText} All nodes share the machine, or the processor time is not known.`);
  console.log(row(['work', 'connections', 'service', 'per second', 'to plain', 'service µs', 'database µs']));
  console.log(row(Array.from({ length: 7 }, () => '---')));
  for (const connections of flags.connections) {
    for (const work of chosen) await measure(work, connections, services);
  }
  for (const service of services) await service.stop();
}

async function measure(work: Work, connections: number, services: readonly Measurable[]): Promise<void> {
  const rounds: Measured[][] = services.map(() => []);
  for (let round = 0; round < flags.rounds; round++) {
    // The first one has colder caches, so they take turns.
    for (let turn = 0; turn < services.length; turn++) {
      const index = (round + turn) % services.length;
      rounds[index]?.push(await once(work, connections, services[index] as Measurable));
    }
  }
  const [plain] = rounds as [Measured[]];
  for (const [index, { name }] of services.entries()) {
    const own = rounds[index] as Measured[];
    const of = (figure: keyof Measured) => median(own.map((one) => one[figure])).toFixed(0);
    const ratios = own.map(({ perSecond }, round) => perSecond / (plain[round] as Measured).perSecond);
    const ratio = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
    const known = of('databaseUs') === 'NaN' ? '' : of('databaseUs');
    const figures = [of('perSecond'), `${ratio[0]} (${ratio[1]} to ${ratio[2]})`, of('serviceUs'), known];
    console.log(row([work.name, connections, name, ...figures]));
  }
}

async function once(work: Work, connections: number, service: Measurable): Promise<Measured> {
  const run = (warmUpMs: number, measureMs: number) =>
    runRight({ port: service.port, connections, warmUpMs, measureMs, ...work.start(service, flags.rows) });
  await run(0, Math.min(1_000, flags.seconds * 1_000));
  const before = await usedBy(service);
  const { perSecond, requests } = await run(0, flags.seconds * 1_000);
  const after = await usedBy(service);
  return {
    perSecond,
    serviceUs: (after.serviceUs - before.serviceUs) / requests,
    databaseUs: (after.databaseUs - before.databaseUs) / requests,
  };
}

async function usedBy({ pid, databases }: Measurable) {
  const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'`;
  const found = await Promise.all(databases.map((url) => withClient(url, (client) => client.query(others))));
  const pids = found.flatMap(({ rows }) => rows.map((one) => Number(one.pid)));
  return { serviceUs: cpuUs(pid), databaseUs: pids.reduce((sum, one) => sum + cpuUs(one), 0) };
}
