/**
 * `npm run bench:postgres`: compares the service on PostgreSQL with bare servers on the same database, which send one
 * query for each request and commit each write alone. Adds are compared with two of them: one with the usual
 * transaction of four statements, and one with a single statement.
 */
import { writeFileSync } from 'node:fs';
import { numbers, path, positive, whole } from '../machine/command.ts';
import { startPostgres } from '../machine/postgres.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { fill } from './fill.ts';
import { compare, type Figures, tableHead, tableRows } from './measure.ts';
import { databaseConnections, poolText } from './pool.ts';
import { begin } from './quiet.ts';
import { startFloorOnPostgres, startServiceOnPostgres } from './servers.ts';
import { works } from './works.ts';

const flags = begin(
  `Usage: npm run bench:postgres -- [flags]
Starts a PostgreSQL server that syncs every commit. Figures are medians of the rounds; the servers take turns.`,
  {
    rounds: whole(5, 'how often each server is measured', 1),
    seconds: positive(4, 'how long each time'),
    connections: numbers('64', 'how many'),
    rows: whole(100_000, 'in the table', 1),
    output: path('file', 'writes the figures as JSON'),
  },
);
const { machine, seconds } = flags;
console.log(`${machine} ${poolText} PostgreSQL shares the machine too.\n${tableHead}`);

const postgres = await startPostgres({ durable: true, settings: { shared_buffers: '512MB' } });
try {
  const database = await makeDatabase(postgres.url);
  const service = { ...(await startServiceOnPostgres(database.url)), name: 'service' };
  await fill(service.port, service.spaces, flags.rows);
  const floor = await startFloorOnPostgres('floor', database.url, 'transaction', service.spaces);
  const lean = await startFloorOnPostgres('one statement', database.url, 'statement', service.spaces);
  const pace = { rounds: flags.rounds, warmUpMs: Math.min(1_500, seconds * 1_000), measureMs: seconds * 1_000 };
  const figures: Figures[] = [];
  for (const connections of flags.connections) {
    for (const name of ['get', 'add'] as const) {
      const work = works.find((one) => one.name === name)!;
      const servers = name === 'get' ? [floor, service] : [floor, lean, service];
      const measured = await compare(work, servers, { connections, rows: flags.rows, spaces: 1 }, pace);
      figures.push(measured);
      console.log(tableRows(measured));
    }
  }
  if (flags.output !== null)
    writeFileSync(flags.output, `${JSON.stringify({ machine, databaseConnections, pace, figures }, null, 2)}\n`);
  for (const server of [service, floor, lean]) await server.stop();
} finally {
  await postgres.stop();
}
