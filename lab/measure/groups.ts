/**
 * `npm run bench:groups`: compares the cost of grouping a million rows in the service with that of the same SQL and
 * scope in bare `node:sqlite` on the same file, in turns. Exits with 1 when the bound was not met.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { postJson } from '../client/messages.ts';
import { whole } from '../machine/command.ts';
import { inScratch } from '../machine/scratch.ts';
import { median } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import { fill } from './fill.ts';
import { fillLarge } from './fill-large.ts';
import { begin } from './quiet.ts';
import { type Server, startService } from './servers.ts';
import { tableName } from './workload.ts';

const boundRatio = 1.5;

const flags = begin(
  `Usage: npm run bench:groups -- [flags]
Asks the service and bare node:sqlite for groups of the same rows, in turns. Exits with 1 when the median of the ratios of their
processor time is more than ${boundRatio}.`,
  { rows: whole(1_000_000, 'that are grouped', 1_000), rounds: whole(7, 'how often each question is asked', 1) },
);

/** Values of `select`, grouping keys, and the same in SQL. */
interface Work {
  readonly name: string;
  readonly select: readonly string[];
  readonly groupBy?: readonly string[];
  readonly sql: string;
}

/** The scope as in the service, but with audiences as literals in the SQL. */
const visible = `(SELECT * FROM "${tableName}" WHERE _audience IN ('u1', 'g1', 'g2', 'a')) AS t`;

const works: readonly Work[] = [
  {
    name: 'sums of all',
    select: ['SUM(#i.views)', 'AVG(#i.quantity)', 'SUM(#i.price)'],
    sql: `SELECT sum(views), avg(quantity), sum(price) FROM ${visible}`,
  },
  {
    name: 'counts by country',
    select: ['#i.country', 'COUNT(*)'],
    groupBy: ['#i.country'],
    sql: `SELECT country, count(*) FROM ${visible} GROUP BY country ORDER BY country`,
  },
  {
    name: 'sums by category',
    select: ['#i.category', 'COUNT(*)', 'SUM(#i.views)', 'AVG(#i.price)'],
    groupBy: ['#i.category'],
    sql: `SELECT category, count(*), sum(views), avg(price) FROM ${visible} GROUP BY category ORDER BY category`,
  },
  {
    name: 'extremes by city',
    select: ['#i.city', 'MIN(#i.soldAt)', 'MAX(#i.title)'],
    groupBy: ['#i.city'],
    sql: `SELECT city, min(soldAt), max(title) FROM ${visible} GROUP BY city ORDER BY city`,
  },
  {
    name: 'different cities',
    select: ['COUNT(DISTINCT #i.city)'],
    sql: `SELECT count(DISTINCT city) FROM ${visible}`,
  },
];

console.log(flags.machine);
await inScratch(async (folder) => {
  const first = await startService(folder, 1);
  await fill(first.port, first.spaces, 0);
  await first.stop();
  const file = first.spaces[0]?.file ?? '';
  fillLarge(folder, file, flags.rows);
  const db = new DatabaseSync(join(folder, 'spaces', file), { readOnly: true });
  const server = await startService(folder, 0, first.spaces);
  try {
    for (const work of works) await measure(server, db, work);
  } finally {
    await server.stop();
    db.close();
  }
});

async function measure(server: Server, db: DatabaseSync, { name, select, groupBy, sql }: Work): Promise<void> {
  const body = {
    from: { phyName: tableName, alias: 'i' },
    select: select.map((source, index) => ({ name: `v${index}`, expression: { source } })),
    ...(groupBy && { groupBy }),
  };
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  const times = { service: [] as number[], bare: [] as number[] };
  const ratios: number[] = [];
  // The first round reads the file, so it does not count.
  for (let round = -1; round < flags.rounds; round++) {
    const service = await ofService(server, body);
    const bare = ofBare(statement);
    assert.equal(service.rows, bare.rows);
    if (round < 0) continue;
    times.service.push(service.ms);
    times.bare.push(bare.ms);
    ratios.push(service.ms / bare.ms);
  }
  const ratio = median(ratios);
  const isMet = ratio <= boundRatio;
  if (!isMet) process.exitCode = 1;
  const figures = `${Math.round(median(times.service))} ms, bare ${Math.round(median(times.bare))} ms of processor time`;
  console.log(`${name.padEnd(18)} ${figures}; ratio ${ratio.toFixed(2)} (≤ ${boundRatio}${isMet ? '' : ', NOT MET'})`);
}

async function ofService({ port, spaces: [space], pid }: Server, body: object) {
  const before = cpuUs(pid);
  const answer = (await postJson(port, space!, `/data/select/${tableName}`, body)) as { rows: unknown[] };
  return { ms: (cpuUs(pid) - before) / 1_000, rows: answer.rows.length };
}

function ofBare(statement: StatementSync) {
  const before = process.cpuUsage();
  const rows = statement.all().length;
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000, rows };
}
