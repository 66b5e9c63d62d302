/**
 * `npm run bench:cursor`: compares the time of a page deep in a table, reached by cursor, with that of the same query's
 * first page. Exits with 1 if the bound is not met.
 */
import assert from 'node:assert/strict';
import { Connection } from '../client/connection.ts';
import { postRequest } from '../client/messages.ts';
import { whole } from '../machine/command.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { inScratch } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import type { Space } from './asks.ts';
import { fill } from './fill.ts';
import { fillLarge } from './fill-large.ts';
import { begin } from './quiet.ts';
import { type Server, startService } from './servers.ts';
import { tableName } from './workload.ts';

const boundRatio = 1.2;
const pageRows = 20;
/** Pairs before the first measured one, which compile the statements and show the service which queries are short. */
const warmUps = 100;

const flags = begin(
  `Usage: npm run bench:cursor -- [flags]
Fills a table and reads it page by page with a cursor, ${pageRows} rows a page. Then it requests the first page and the last page
alternately and compares their times. Exits with 1 if the median time of the last page is more than ${boundRatio} times that of the
first. For a long run, use --pages 50000 (a million rows).`,
  {
    pages: whole(5_000, 'full pages before the last one', 1),
    rounds: whole(2_000, 'number of requests for each of the two pages', 1),
  },
);

const rows = (flags.pages + 1) * pageRows;

const ascending = (...columns: readonly string[]) => columns.map((column) => ({ column, type: 'ASC' }));

const orders = [
  { name: 'in the order of ids', orderBy: ascending() },
  { name: 'in the order of an index', orderBy: ascending('#i.category', '#i.soldAt') },
] as const;

console.log(flags.machine);
await inScratch(async (folder) => {
  const first = await startService(folder, 1);
  await fill(first.port, first.spaces, 0);
  await first.stop();
  fillLarge(folder, first.spaces[0]?.file ?? '', rows);
  const server = await startService(folder, 0, first.spaces);
  try {
    for (const order of orders) await measure(server, order);
  } finally {
    await server.stop();
  }
});

interface Page {
  readonly rows: readonly { readonly i: { readonly objectId: string } }[];
  readonly next: string | null;
}

async function measure({ port, spaces, pid }: Server, { name, orderBy }: (typeof orders)[number]): Promise<void> {
  const connection = new Connection(port);
  const requestOf = (after: string) =>
    postRequest(
      spaces[0] as Space,
      `/data/select/${tableName}`,
      JSON.stringify({ from: { phyName: tableName, alias: 'i' }, orderBy, range: { limit: pageRows }, after }),
    );
  const ask = async (after: string): Promise<Page> => {
    const { status, body } = await connection.exchange(requestOf(after), 60_000);
    if (status !== 200) throw new Error(body);
    return JSON.parse(body) as Page;
  };

  const seen = new Set<string>();
  let deep = '';
  for (let page = 0; page < flags.pages; page++) {
    const { rows: found, next } = await ask(deep);
    for (const { i } of found) seen.add(i.objectId);
    deep = next as string;
    if (page % 1_000 === 0) showProgress(`walking: page ${page}`);
  }
  clearProgress();
  const last = await ask(deep);
  for (const { i } of last.rows) seen.add(i.objectId);
  assert.equal(seen.size, rows, 'the walk has every row once');

  const asked = { first: requestOf(''), deep: requestOf(deep) };
  const times = { first: [] as number[], deep: [] as number[] };
  const processor = { first: 0, deep: 0 };
  for (let round = -warmUps; round < flags.rounds; round++) {
    for (const which of ['first', 'deep'] as const) {
      const cpuBefore = cpuUs(pid);
      const before = performance.now();
      await connection.exchange(asked[which], 60_000);
      if (round < 0) continue;
      times[which].push(performance.now() - before);
      processor[which] += cpuUs(pid) - cpuBefore;
    }
  }
  connection.close();
  const ratio = median(times.deep) / median(times.first);
  const isMet = ratio <= boundRatio;
  if (!isMet) process.exitCode = 1;
  const told = (which: keyof typeof times) =>
    `${median(times[which]).toFixed(3)} ms (${Math.round(processor[which] / flags.rounds)} µs of processor time)`;
  console.log(
    `${name}: page 1 ${told('first')}, page ${flags.pages + 1} ${told('deep')}; ratio ${ratio.toFixed(2)} (≤ ${boundRatio}${isMet ? '' : ', NOT MET'})`,
  );
}
