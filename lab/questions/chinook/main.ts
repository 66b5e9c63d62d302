/**
 * `npm run chinook -- <folder> [sqlite|postgres]`: moves a real music store into Rowhouse and checks what it answers
 * against SQLite's own answers. Exits with 1 on any difference.
 */
import { startPostgres } from '../../machine/postgres.ts';
import { type Engine, makeStorage } from '../../machine/scratch.ts';
import type { Finding } from './ask.ts';
import type { Loaded } from './load.ts';
import { runAcceptance } from './run.ts';
import type { Place } from './service.ts';
import { readStore } from './store.ts';
import type { TableName } from './tables.ts';

const usage = `Usage: npm run chinook -- <folder> [sqlite|postgres]
The folder holds the Chinook database, a file of JSON objects for each table: Album.jsonl, Artist.jsonl and so on.
The second word names the storage engine, SQLite without it; a PostgreSQL server is started for the time.`;

const [folder, engine = 'sqlite', ...more] = process.argv.slice(2);
if (folder === undefined || !isEngine(engine) || more.length > 0) {
  console.error(folder === undefined ? `The folder with the data is missing.\n${usage}` : usage);
  process.exit(1);
}

try {
  const store = readStore(folder);
  const { loaded, findings } = await onEngine(engine, (place) => runAcceptance(store, place, showProgress));
  console.log(`\n${describeLoading(loaded)}\n\n${describeFindings(findings)}`);
  const different = findings.filter(({ difference }) => difference !== null);
  for (const { question, form, difference } of different) console.log(`\n${question} (${form}): ${difference}`);
  process.exitCode = different.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function isEngine(word: string): word is Engine {
  return word === 'sqlite' || word === 'postgres';
}

/** Does the work on an empty storage, which is gone afterwards. */
async function onEngine<T>(engine: Engine, work: (place: Place) => Promise<T>): Promise<T> {
  const server = engine === 'postgres' ? await startPostgres() : null;
  try {
    const storage = await makeStorage(engine, async () => server?.url as string);
    try {
      return await work(storage.settings);
    } finally {
      await storage.remove();
    }
  } finally {
    await server?.stop();
  }
}

/** One line per table, filled up batch by batch. */
function showProgress(table: TableName, added: number, of: number): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${progressLine(table, added, of)}`);
  if (added < of) return;
  console.log(process.stdout.isTTY ? '' : progressLine(table, added, of));
}

function progressLine(table: TableName, added: number, of: number): string {
  return `${table.padEnd(14)}${String(added).padStart(6)} of ${of} rows`;
}

function describeLoading({ rows, milliseconds }: Loaded): string {
  const perSecond = Math.round((rows / milliseconds) * 1_000);
  return `${rows} rows loaded in ${Math.round(milliseconds)} ms: ${perSecond} rows per second.`;
}

function describeFindings(findings: readonly Finding[]): string {
  const lines = findings.map(({ question, form, rows, milliseconds, difference }) => [
    question,
    form,
    String(rows),
    milliseconds.toFixed(1),
    difference === null ? 'yes' : 'NO',
  ]);
  const head = ['question', 'form', 'rows', 'ms', 'equal'];
  const widths = head.map((title, index) => Math.max(title.length, ...lines.map((line) => line[index]!.length)));
  const isNumber = [false, false, true, true, false];
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((line) =>
      line
        .map((cell, index) => (isNumber[index] ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
