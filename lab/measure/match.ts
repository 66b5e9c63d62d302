/**
 * `npm run bench:match`: measures pages of 20 records that MATCH finds among many short texts, half English and half
 * Japanese, on both engines. Exits with 1 when the bound was not met.
 */
import { postJson } from '../client/messages.ts';
import { numbers, seed, whole, word } from '../machine/command.ts';
import { startPostgres } from '../machine/postgres.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { seeded } from '../machine/random.ts';
import { inScratch } from '../machine/scratch.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { median, percentile } from '../machine/statistics.ts';
import { cpuUs } from '../machine/usage.ts';
import type { Space } from './asks.ts';
import { begin } from './quiet.ts';
import { type Server, startService, startServiceOnPostgres } from './servers.ts';
import { textsOf } from './texts.ts';

const boundMs = 10;
const hitsMax = 1_000;

const flags = begin(
  `Usage: npm run bench:match -- [flags]
Asks for pages of 20 of the records that have some words, of which there are at most ${hitsMax.toLocaleString('en')}, one after the other. Exits with 1
when the median of a kind is more than ${boundMs} ms.`,
  {
    rows: numbers('100000', 'how many texts'),
    queries: whole(100, 'of each kind, each with other words', 1),
    engine: word('both', 'where', ['both', 'sqlite', 'postgres']),
    seed: seed(),
  },
);

const table = {
  name: 'Text',
  columns: [
    { colName: 'words', type: 'varchar', fieldLength: 200, fullText: true },
    { colName: 'due', type: 'integer' },
  ],
  indexes: [{ columns: ['due'], unique: false }],
};

console.log(`${flags.machine} Seed ${flags.seed}.`);
for (const rows of flags.rows) {
  if (flags.engine !== 'postgres') {
    await inScratch(async (folder) => measure('SQLite', await startService(folder, 1), rows));
  }
  if (flags.engine !== 'sqlite') {
    const postgres = await startPostgres({ durable: true, settings: { shared_buffers: '512MB' } });
    try {
      const database = await makeDatabase(postgres.url);
      await measure('PostgreSQL', await startServiceOnPostgres(database.url), rows);
    } finally {
      await postgres.stop();
    }
  }
}

async function measure(engine: string, server: Server, rows: number): Promise<void> {
  try {
    const { port } = server;
    const space = server.spaces[0] as Space;
    const texts = textsOf(seeded(flags.seed));
    await postJson(port, space, '/schemas', { tables: [table] });
    const began = performance.now();
    for (let from = 0; from < rows; from += 1_000) {
      const data = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => ({
        scopeType: '3',
        words: texts.text(from + index),
        due: String(((from + index) * 15_485_863) % rows),
      }));
      await postJson(port, space, '/data/batch/addData', { objectName: table.name, data });
      if (from % 20_000 === 0) showProgress(`filling: ${from} of ${rows} texts`);
    }
    clearProgress();
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    console.log(`${engine}, ${rows} texts, which were added in ${seconds} s, by 1 000 at a time`);
    for (const [name, words] of texts.kinds) await ask(server, name, words);
  } finally {
    await server.stop();
  }
}

async function ask({ port, pid, spaces }: Server, name: string, words: () => string): Promise<void> {
  const space = spaces[0] as Space;
  const path = `/data/query/${table.name}`;
  const from = { phyName: table.name, alias: 't' };
  const hits: number[] = [];
  let cpu = 0;
  const times = { objectId: [] as number[], due: [] as number[] };
  while (hits.length < flags.queries) {
    const where = { expression: { source: 'MATCH(#t.words, ?)', params: [words()] } };
    const { count } = (await postJson(port, space, `${path}/count`, { from, where })) as { count: number };
    if (count === 0 || count > hitsMax) continue;
    hits.push(count);
    for (const order of ['objectId', 'due'] as const) {
      const orderBy = [{ column: `#t.${order}`, type: 'ASC' }];
      const cpuBefore = cpuUs(pid);
      const sent = performance.now();
      const answer = (await postJson(port, space, path, {
        from,
        where,
        orderBy,
        range: { offset: '0', limit: '20' },
      })) as {
        t: unknown[];
      };
      times[order].push(performance.now() - sent);
      cpu += cpuUs(pid) - cpuBefore;
      if (answer.t.length !== Math.min(count, 20))
        throw new Error(`${answer.t.length} of ${count} records were answered.`);
    }
  }
  const told = Object.entries(times).map(([order, ms]) => {
    const isMet = median(ms) <= boundMs;
    if (!isMet) process.exitCode = 1;
    return `by ${order} ${median(ms).toFixed(1)} ms, p95 ${percentile(ms, 0.95).toFixed(1)}${isMet ? '' : ' (NOT MET)'}`;
  });
  console.log(
    `  ${name.padEnd(34)} ${String(Math.round(median(hits))).padStart(4)} hits: ${told.join('; ')}; ${(cpu / 2_000 / hits.length).toFixed(1)} ms of the service's processor time`,
  );
}
