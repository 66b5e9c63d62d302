/**
 * `npm run bench:spaces`: many data spaces on one PostgreSQL, each with several tables, used in turn: measures the
 * memory of the service and of the server's backends, the start time of the service, and the time of a dump.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { httpRequest, postJson } from '../client/messages.ts';
import { withClient } from '../machine/client.ts';
import { path, whole } from '../machine/command.ts';
import { startPostgres } from '../machine/postgres.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import type { Space } from './asks.ts';
import { run } from './load.ts';
import { poolText } from './pool.ts';
import { begin } from './quiet.ts';
import { type Server, startServiceOnPostgres } from './servers.ts';
import { objectIdOf, recordOf, table } from './workload.ts';

const flags = begin(
  `Usage: npm run bench:spaces -- [flags]
Every round adds one record to a table of each data space and reads it. The server has to be on this machine, for the memory of
its backends, and needs max_locks_per_transaction of 4096 for the dump. The dump is taken where the machine has a pg_dump of
the server's version or a newer one.`,
  {
    spaces: whole(10_000, 'how many data spaces are made', 1),
    tables: whole(5, 'in each of them', 1),
    rounds: whole(4, 'in which each of them is touched', 1),
    storage: path('url', 'a database of a PostgreSQL server, on which another one is made; without it one is started'),
  },
);
console.log(`${flags.machine} ${poolText}`);

const spaceCount = flags.spaces;
const tables = Array.from({ length: flags.tables }, (_, number) => ({ ...table, name: `Item${number}` }));
const connections = 16;
const spacesAtOnce = 4;
const own =
  flags.storage === null
    ? await startPostgres({ durable: true, settings: { shared_buffers: '512MB', max_locks_per_transaction: '4096' } })
    : null;
const database = await makeDatabase(own?.url ?? (flags.storage as string));
try {
  const made = performance.now();
  let service = await startServiceOnPostgres(database.url, spaceCount);
  tell(`${spaceCount} data spaces made`, `${seconds(made)} s`);
  const defined = performance.now();
  await define(service);
  tell(`${tables.length} tables defined in each`, `${seconds(defined)} s`);
  const { spaces } = service;
  for (let round = 1; round <= flags.rounds; round++) {
    const touched = performance.now();
    await touch(service, round);
    const backends = await backendMemory();
    tell(
      `round ${round}: every data space written to and read`,
      `${seconds(touched)} s; service ${await service.residentMiB()} MiB; ${backends.count} backends, ` +
        `${mib(backends.mean)} MiB each in the mean, ${mib(backends.most)} MiB at most, ${mib(backends.sum)} MiB in all`,
    );
  }
  await service.stop();
  const started = performance.now();
  service = await startServiceOnPostgres(database.url, 0, spaces);
  tell('start of the service', `${seconds(started)} s`);
  await service.stop();
  tell('size of the database', await databaseSize());
  tell('dump of one data space', await dump(['--schema', `rowhouse_space_${spaces.at(-1)!.spaceId}`]));
  tell('dump of everything', await dump([]));
} finally {
  await database.remove();
  await own?.stop();
}

async function define(server: Server): Promise<void> {
  const waiting = server.spaces.values();
  let done = 0;
  const worker = async () => {
    for (const space of waiting) {
      await postJson(server.port, space, '/schemas', { tables });
      if (++done % 100 === 0) showProgress(`tables of ${done} data spaces`);
    }
  };
  await Promise.all(Array.from({ length: spacesAtOnce }, worker));
  clearProgress();
}

/** One add and one get in every data space, in a different table in every round. */
async function touch(server: Server, round: number): Promise<void> {
  const name = tables[round % tables.length]!.name;
  const data = [recordOf(round)];
  const add = ({ prefix, token }: Space) =>
    httpRequest('POST', `${prefix}/data/batch/addData`, token, JSON.stringify({ objectName: name, data }));
  const get = ({ prefix, token }: Space) => httpRequest('GET', `${prefix}/data/${name}/${objectIdOf(round)}`, token);
  for (const request of [add, get]) {
    let sequence = 0;
    await run({
      port: server.port,
      connections,
      warmUpMs: 0,
      measureMs: 3_600_000,
      requestsMax: spaceCount,
      request: () => request(server.spaces[sequence++ % spaceCount] as Space),
    });
  }
}

/** Memory of the service's backends, bytes: private memory, and their part of shared memory. */
async function backendMemory(): Promise<{ count: number; sum: number; mean: number; most: number }> {
  const pids = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'rowhouse'`,
    );
    return rows.map(({ pid }) => pid);
  });
  const sizes = pids.map((pid) => {
    const [, kib = '0'] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kib) * 1_024;
  });
  const sum = sizes.reduce((total, size) => total + size, 0);
  return { count: sizes.length, sum, mean: sum / Math.max(1, sizes.length), most: Math.max(0, ...sizes) };
}

function databaseSize(): Promise<string> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ size: string; relations: string }>(
      'SELECT pg_database_size(current_database()) AS size, (SELECT count(*) FROM pg_class) AS relations',
    );
    return `${mib(Number(rows[0]!.size))} MiB, ${rows[0]!.relations} relations`;
  });
}

async function dump(only: readonly string[]): Promise<string> {
  const begun = performance.now();
  try {
    const file = ['--format', 'custom', '--no-sync', '--file', '/dev/null'];
    await promisify(execFile)('pg_dump', [...file, ...only, '--dbname', database.url]);
    return `${seconds(begun)} s`;
  } catch (error) {
    return `not taken: ${String((error as { stderr?: string }).stderr ?? error).split('\n')[0]}`;
  }
}

function tell(what: string, figures: string): void {
  console.log(`${what}: ${figures}`);
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1_000).toFixed(1);
}

function mib(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
