/**
 * `npm run bench:move`: moves a million generated rows from SQLite to PostgreSQL and back, and reports rows per second,
 * memory, and whether every checksum is the same in the end.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { whole } from '../machine/command.ts';
import { startPostgres } from '../machine/postgres.ts';
import { inScratch } from '../machine/scratch.ts';
import { makeDatabase } from '../machine/scratch-database.ts';
import { memoryMib } from '../machine/usage.ts';
import { fill } from './fill.ts';
import { fillLarge } from './fill-large.ts';
import { begin } from './quiet.ts';
import { startService } from './servers.ts';

const flags = begin(
  `Usage: npm run bench:move -- [flags]
A PostgreSQL server that syncs every commit is started for it; it needs about 1 GiB for temporary files per million rows.`,
  { rows: whole(1_000_000, 'that are moved', 1) },
);
console.log(flags.machine);

/** The part of the output of `rowhouse move --json` that is reported here. */
interface Moved {
  readonly tables: readonly { room: string | number; table: string; rows: number; checksum: string }[];
  readonly written: number;
  readonly seconds: number;
}

await inScratch(async (scratch) => {
  const postgres = await startPostgres({ durable: true });
  try {
    const first = join(scratch, 'first');
    await fillFirst(first, flags.rows);
    const database = await makeDatabase(postgres.url);
    const there = await measuredMove(`sqlite:${first}`, database.url);
    const back = await measuredMove(database.url, `sqlite:${join(scratch, 'second')}`);
    const different = there.tables.filter(({ checksum }, index) => checksum !== back.tables[index]?.checksum);
    const isSame = different.length === 0 && there.tables.length === back.tables.length;
    for (const { room, table: name, rows, checksum } of back.tables) {
      console.log(`${String(room).padEnd(10)} ${name.padEnd(18)} ${String(rows).padStart(9)}  ${checksum}`);
    }
    console.log(isSame ? 'Every checksum is the same after both moves.' : 'CHECKSUMS DIFFER');
    process.exitCode = isSame ? 0 : 1;
  } finally {
    await postgres.stop();
  }
});

/** Creates tables and categories over HTTP, like a client, then writes the rows directly to the data space's file. */
async function fillFirst(folder: string, rows: number): Promise<void> {
  const service = await startService(folder, 1);
  await fill(service.port, service.spaces, 0);
  await service.stop();
  fillLarge(folder, service.spaces[0]!.file!, rows);
}

async function measuredMove(from: string, to: string): Promise<Moved> {
  const command = join(import.meta.dirname, '../../src/cli/main.ts');
  const child = spawn(process.execPath, [command, 'move', '--from', from, '--to', to, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let peakMib = 0;
  const watch = setInterval(() => {
    peakMib = Math.max(peakMib, memoryMib(child.pid as number, 'VmHWM') || 0);
  }, 200);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  clearInterval(watch);
  if (child.exitCode !== 0) throw new Error(`The move ended with ${child.exitCode}.`);
  const moved = JSON.parse(output) as Moved;
  const rate = Math.round(moved.written / moved.seconds);
  const [source] = from.split(':');
  const [target] = to.split(':');
  console.log(
    `${source} to ${target}: ${moved.written} rows in ${moved.seconds.toFixed(1)} s with indexes and comparing, ${rate} a second; at most ${Math.round(peakMib)} MiB of memory`,
  );
  return moved;
}
