/**
 * `npm run bench:pages`: measures pages of 20 records filtered by one column and sorted by another: with an index on
 * each column or one on both, and with a filter that few or many rows meet.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postJson } from '../client/messages.ts';
import { whole, word } from '../machine/command.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import type { Space } from './asks.ts';
import type { Request } from './floor/tasks.ts';
import { hasWrk, loadOurselves, wrkIn } from './floor/wrk.ts';
import { begin } from './quiet.ts';
import { startService } from './servers.ts';

const flags = begin(
  `Usage: npm run bench:pages -- [flags]
Requests pages of a table that is filtered by one column and sorted by another. Prints the requests per second and the processor
time that the service spends on each; both are medians over the rounds. If wrk is installed, it sends the requests.`,
  {
    rows: word('10000,1000000', 'sizes of the table to measure, in rows'),
    rounds: whole(5, 'how often each case is measured', 1),
    seconds: whole(3, 'length of a round', 1),
    connections: whole(64, 'concurrent connections', 1),
  },
);

/** One row in a hundred has each status; due times are almost unique. */
const statuses = 100;
/** One row in ten thousand. */
const owners = 10_000;

const table = (name: string, indexes: readonly (readonly string[])[]) => ({
  name,
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 200 },
    { colName: 'status', type: 'integer' },
    { colName: 'owner', type: 'integer' },
    { colName: 'due', type: 'integer' },
  ],
  indexes: indexes.map((columns) => ({ columns, unique: false })),
});

const tables = [table('Apart', [['status'], ['owner'], ['due']]), table('Both', [['status', 'due']])];

/** Spreads the rows over the values, in an order unrelated to that of the rows. */
const rowOf = (number: number, rows: number) => ({
  objectId: `r${String(number).padStart(8, '0')}`,
  scopeType: '3',
  title: `The ${number}th of many tasks, with a title of ordinary length`,
  status: String((number * 7_919) % statuses),
  owner: String((number * 104_729) % owners),
  due: String((number * 15_485_863) % rows),
});

const page = (name: string, column: string, value: number) => ({
  from: { phyName: name, alias: 't' },
  where: { expression: { source: `#t.${column} = ?`, params: [String(value)] } },
  orderBy: [{ column: '#t.due', type: 'ASC' }],
  range: { offset: '0', limit: '20' },
});

const kinds = [
  { name: 'an index on each, 1 % meet the filter', of: 'Apart', column: 'status', values: statuses },
  { name: 'an index on each, 0.01 % meet the filter', of: 'Apart', column: 'owner', values: owners },
  { name: 'one index on both', of: 'Both', column: 'status', values: statuses },
] as const;

async function fill(port: number, space: Space, rows: number): Promise<void> {
  await postJson(port, space, '/schemas', { tables });
  for (const { name } of tables) {
    for (let from = 0; from < rows; from += 1_000) {
      const data = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => rowOf(from + index, rows));
      await postJson(port, space, '/data/batch/addData', { objectName: name, data });
      if (from % 50_000 === 0) showProgress(`filling ${name}: ${from} of ${rows} rows`);
    }
  }
  clearProgress();
}

/** How many different requests are sent in turn. */
const requestsMax = 1_000;

const requestsOf = ({ prefix }: Space, { of, column, values }: (typeof kinds)[number]): Request[] =>
  Array.from({ length: Math.min(values, requestsMax) }, (_, number) => ({
    method: 'POST',
    path: `${prefix}/data/query/${of}`,
    body: JSON.stringify(page(of, column, (number * 7) % values)),
  }));

const by = hasWrk() ? 'wrk' : 'our own load generator';
console.log(
  `${flags.machine} ${flags.rounds} rounds of ${flags.seconds} s, ${flags.connections} connections, by ${by}.`,
);
for (const rows of flags.rows.split(',').map(Number)) {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-pages-'));
  const server = await startService(folder, 1);
  try {
    const space = server.spaces[0] as Space;
    await fill(server.port, space, rows);
    const load = hasWrk() ? wrkIn(folder) : loadOurselves;
    for (const kind of kinds) {
      const requests = requestsOf(space, kind);
      const own = { port: server.port, token: space.token, connections: flags.connections, requests, run: kind.name };
      showProgress(`${rows} rows, ${kind.name}: warming up`);
      await load({ ...own, seconds: 1 });
      const rates: number[] = [];
      const times: number[] = [];
      for (let round = 0; round < flags.rounds; round++) {
        showProgress(`${rows} rows, ${kind.name}: round ${round + 1} of ${flags.rounds}`);
        const before = cpuUs(server.pid);
        const { perSecond, requests: count } = await load({ ...own, seconds: flags.seconds });
        rates.push(perSecond);
        times.push((cpuUs(server.pid) - before) / count);
      }
      clearProgress();
      const figures = `${Math.round(median(rates))} a second, ${Math.round(median(times))} µs of processor time each`;
      console.log(`${rows} rows, ${kind.name}: ${figures}`);
    }
    console.log(`${rows} rows: ${Math.round(await server.residentMiB())} MiB`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
