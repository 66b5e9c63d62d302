/**
 * `npm run bench:pages`: pages of 20 records of one table, which are filtered by one column and ordered by another, with an index
 * on each or one on both, where few or many rows meet the filter.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpRequest, postJson } from '../client/messages.ts';
import { positive, whole, word } from '../machine/command.ts';
import { median } from '../machine/statistics.ts';
import type { Space } from './asks.ts';
import { run } from './load.ts';
import { begin } from './quiet.ts';
import { startService } from './servers.ts';

const flags = begin(
  'Usage: npm run bench:pages -- [flags]\nMeasures pages of one table by filter and order. Figures are medians of the rounds.',
  {
    rows: word('10000,1000000', 'in the table'),
    rounds: whole(5, 'how often each is measured', 1),
    seconds: positive(3, 'how long each time, after a warm-up'),
    connections: whole(64, 'at once', 1),
  },
);

/** One row in a hundred has each status, and each due time is almost its own. */
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

/** Spreads the rows over the values, in an order that has nothing to do with that of the rows. */
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
      if (from % 50_000 === 0) process.stderr.write(`\rfilling ${name}: ${from} of ${rows} rows `);
    }
  }
  process.stderr.write(`${'\r'.padEnd(50)}\r`);
}

for (const rows of flags.rows.split(',').map(Number)) {
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-pages-'));
  const server = await startService(folder, 1);
  try {
    const space = server.spaces[0] as Space;
    await fill(server.port, space, rows);
    const rates = kinds.map((): number[] => []);
    for (let round = 0; round < flags.rounds; round++) {
      for (const [index, { of, column, values }] of kinds.entries()) {
        const request = (sequence: number) =>
          httpRequest(
            'POST',
            `${space.prefix}/data/query/${of}`,
            space.token,
            JSON.stringify(page(of, column, (sequence * 7) % values)),
          );
        const load = { port: server.port, connections: flags.connections, warmUpMs: 1_000, request };
        const measured = await run({ ...load, measureMs: flags.seconds * 1_000 });
        if (measured.firstFailure !== null) throw new Error(measured.firstFailure);
        rates[index]?.push(measured.perSecond);
      }
    }
    for (const [index, { name }] of kinds.entries()) {
      console.log(`${rows} rows, ${name}: ${Math.round(median(rates[index] ?? []))} a second`);
    }
    console.log(`${rows} rows: ${Math.round(await server.residentMiB())} MiB`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}
