/**
 * `npm run bench`: compares the service with the floor, a bare server with the same SQL (`floor/server.ts`), and with
 * its peers. All are measured in the same run, in turns, and reported in a Markdown table.
 */
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mark, path, positive, whole, word } from '../machine/command.ts';
import { type Postgres, startPostgres } from '../machine/postgres.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { fill } from './fill.ts';
import { compare, type Figures, type Pace, tableHead, tableRows } from './measure.ts';
import { peersFromBinaries, peersOnPostgres } from './peers/all.ts';
import { databaseConnections, poolText } from './pool.ts';
import { begin } from './quiet.ts';
import { type Measurable, startFloor, startService } from './servers.ts';
import { rowsEach } from './workload.ts';
import { works } from './works.ts';

const flags = begin(
  `Usage: npm run bench -- [flags]
Measures the service against a bare node:http server that runs the same SQL, in turns. Figures are medians of the rounds.

${works.map(({ name, summary }) => `  ${name.padEnd(21)} ${summary}`).join('\n')}`,
  {
    only: word(works.map(({ name }) => name).join(','), 'works; all of them by default'),
    rounds: whole(5, 'how often each server is measured', 1),
    seconds: positive(3, 'how long each time, after a warm-up'),
    connections: word('', 'for instance 1,32,256; 64 without it'),
    rows: word('', 'in the first data space, for instance 10000,1000000; 100000 without it'),
    spaces: word('', 'data spaces that the requests go to in turn, each with at most 1 000 rows; 1 without it'),
    matrix: mark('connections 1,32,256; rows 10000,1000000; spaces 1,100,10000'),
    large: mark('with --matrix: 10 000 000 rows too, which need about 20 GiB for temporary files'),
    peers: word(
      '',
      `of ${[...peersOnPostgres.keys()].join(', ')}: measured too, where there is one data space; each is
                         installed from the npm registry into a cache folder once, and postgres is the service itself`,
    ),
    pocketbase: path('file', 'the program of PocketBase: measured too, where there is one data space'),
    trailbase: path('file', 'the program of TrailBase, likewise'),
    output: path('file', 'writes the figures as JSON, after each line'),
    profile: path('folder', 'writes CPU profiles of the service there'),
  },
);
const { machine } = flags;

const numbers = (list: string) => list.split(',').map(Number);
const measureMs = flags.seconds * 1_000;
const pace: Pace = {
  rounds: flags.rounds,
  warmUpMs: Math.min(1_500, measureMs),
  measureMs,
};
const connectionCounts = numbers(flags.connections || (flags.matrix ? '1,32,256' : '64'));
const rowCounts = numbers(flags.rows || (flags.matrix ? '10000,1000000' : '100000'));
if (flags.large) rowCounts.push(10_000_000);
const spaceCounts = numbers(flags.spaces || (flags.matrix ? '1,100,10000' : '1'));
const chosen = chosenOf('--only', flags.only, new Map(works.map((work) => [work.name, work])));
const chosenPeers = flags.peers === '' ? [] : chosenOf('--peers', flags.peers, peersOnPostgres);

/** The peers whose flag gives the path of their program. */
const givenBinaries = Object.entries(peersFromBinaries).flatMap(([name, start]) => {
  const given = flags[name as keyof typeof peersFromBinaries];
  return given === null ? [] : [{ name, path: resolve(given), start }];
});
for (const { name, path } of givenBinaries) {
  if (!existsSync(path)) throw new Error(`--${name}: there is no file ${path}.`);
}

/**
 * The sizes, each with its own data. With several data spaces, numbers of rows that `rowsEach` reduces to the same one
 * count once.
 */
const dataSets = [
  ...new Map(
    spaceCounts.flatMap((spaces) =>
      rowCounts.map(
        (rows) => [`${spaces} ${rowsEach(rows, spaces)}`, { rows: rowsEach(rows, spaces), spaces }] as const,
      ),
    ),
  ).values(),
];

const scratch = mkdtempSync(join(tmpdir(), 'rowhouse-bench-'));
const figures: Figures[] = [];
const turns = dataSets.map(
  ({ spaces }) =>
    (spaces === 1 ? 2 + chosenPeers.length + givenBinaries.length : 2) * chosen.length * connectionCounts.length,
);
let turnsLeft = turns.reduce((sum, one) => sum + one, 0);
let turnMs = pace.rounds * (pace.warmUpMs + pace.measureMs);
let turnsDone = 0;
let measuringMs = 0;
let postgres: Postgres | null = null;
// Exits on signals, so that listeners for the end of the process, such as the peers', are called.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
try {
  console.log(chosenPeers.length === 0 ? machine : `${machine} ${poolText}`);
  console.log(
    `${dataSets.length} sets of data; measuring takes ${minutes(turnsLeft * turnMs)}, and filling comes on top.`,
  );
  console.log(tableHead);
  if (chosenPeers.length > 0) postgres = await startPostgres({ durable: true, settings: { shared_buffers: '512MB' } });
  for (const { rows, spaces } of dataSets) await measureAll(rows, spaces);
} finally {
  await postgres?.stop();
}

/** Creates the data once, then measures every work on it; the floor has a copy of the files. */
async function measureAll(rows: number, spaces: number): Promise<void> {
  const data = join(scratch, `${rows}-${spaces}`);
  const first = await startService(data, spaces);
  await fill(first.port, first.spaces, rows);
  await first.stop();
  cpSync(data, `${data}-floor`, { recursive: true });
  const servers: Measurable[] = [
    await startFloor('floor', `${data}-floor`, first.spaces),
    await startService(data, 0, first.spaces, flags.profile ?? undefined),
  ];
  const databases = [];
  if (spaces === 1) {
    for (const start of chosenPeers) {
      const database = await makeDatabase((postgres as Postgres).url);
      databases.push(database);
      servers.push(await start(database.url, rows));
    }
    for (const { name, path, start } of givenBinaries) servers.push(await start(path, `${data}-${name}`, rows));
  }
  for (const connections of connectionCounts) {
    for (const work of chosen) {
      showProgress(`${work.name}, ${connections} connections; ${minutes(turnsLeft * turnMs)} left`);
      const started = performance.now();
      const measured = await compare(work, servers, { connections, rows, spaces }, pace);
      clearProgress();
      measuringMs += performance.now() - started;
      turnsDone += servers.length;
      turnsLeft -= servers.length;
      // A server that takes seconds for an answer exceeds its turns.
      turnMs = measuringMs / turnsDone;
      figures.push(measured);
      report(measured);
    }
  }
  await Promise.all(servers.map((server) => server.stop()));
  for (const database of databases) await database.remove();
  for (const made of [data, `${data}-floor`, ...givenBinaries.map(({ name }) => `${data}-${name}`)]) {
    rmSync(made, { recursive: true, force: true });
  }
}

function report(measured: Figures): void {
  console.log(tableRows(measured));
  if (flags.output === null) return;
  const content = { machine, databaseConnections, rounds: pace.rounds, measureMs, figures };
  writeFileSync(flags.output, `${JSON.stringify(content, null, 2)}\n`);
}

function chosenOf<T>(flag: string, names: string, known: ReadonlyMap<string, T>): T[] {
  return names.split(',').map((name) => {
    const one = known.get(name);
    if (one === undefined) throw new Error(`${flag}: there is no "${name}"; see --help.`);
    return one;
  });
}

function minutes(ms: number): string {
  return ms < 90_000 ? `about ${Math.round(ms / 1_000)} s` : `about ${Math.round(ms / 60_000)} min`;
}
