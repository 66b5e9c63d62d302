/**
 * `npm run compare`: sends the same random queries to two services, on SQLite and on PostgreSQL, and exits with 1 when
 * an answer differs by a byte. With `--self-test` it also plants faults in the engines' SQL, and exits with 1 when the
 * queries miss one.
 */
import { mark, readFlags, seed as seedFlag, whole } from '../machine/command.ts';
import { faults } from './faults.ts';
import { Planting } from './planting.ts';
import { compare, type Difference, type Tally } from './run.ts';
import { startPair, zoneFor } from './services.ts';

const {
  queries,
  seed,
  round,
  'self-test': isSelfTest,
} = readFlags(
  'Usage: npm run compare -- [flags]\nAsks both engines the same random questions and changes the tables between them; a PostgreSQL server is started for the time.',
  {
    queries: whole(100_000, 'how many questions are asked'),
    seed: seedFlag(),
    round: whole(0, 'begins at that round of the seed'),
    'self-test': mark('plants faults in the SQL of both engines, and ends when the queries have found all of them'),
  },
);

console.log(`Seed ${seed}: ${queries} queries.`);
// A fault of time zones shows only outside UTC.
const pair = await startPair(undefined, isSelfTest ? 'Europe/Berlin' : zoneFor(seed));
const begun = performance.now();
let printedAt = begun;
try {
  using planting = isSelfTest ? new Planting(faults) : undefined;
  const isEnough = () => planting?.missed.length === 0;
  const { tally, differences } = await compare(pair, { seed, queries, round, progress: show, isEnough, planting });
  for (const difference of differences) console.log(`\n${describe(difference)}`);
  console.log(`\n${line(tally, differences.length)}`);
  for (const { fault, asked, foundBy } of planting?.planted ?? []) {
    const outcome = foundBy === null ? `missed by ${asked} queries` : `found by query ${foundBy}`;
    console.log(`${outcome.padEnd(24)} ${fault.engine.padEnd(8)} ${fault.what}`);
  }
  process.exitCode = differences.length === 0 && (planting?.missed ?? []).length === 0 ? 0 : 1;
} finally {
  await pair.close();
}

function show(tally: Readonly<Tally>, differences: number): void {
  if (performance.now() - printedAt < (process.stdout.isTTY ? 200 : 10_000)) return;
  printedAt = performance.now();
  process.stdout.write(process.stdout.isTTY ? `\r${line(tally, differences)}` : `${line(tally, differences)}\n`);
}

function line(tally: Readonly<Tally>, differences: number): string {
  const { queries, writes, changes, refused, changesRefused, found, characters, rounds } = tally;
  const perSecond = Math.round(queries / ((performance.now() - begun) / 1_000));
  const made = `${changes} changes of tables (${changesRefused} more requests for some were refused)`;
  const counts = `${queries} queries, ${writes} batches and ${made} on ${rounds} sets of tables`;
  const more = `${found} found something, ${refused} were refused, ${(characters / 1e6).toFixed(1)} MB of answers, ${perSecond} queries per second`;
  return `${counts} (${more}): ${differences} differences.`;
}

function describe({ round, caller, request, answers }: Difference): string {
  const { method, path, body } = request;
  const [one, other] = Object.entries(answers) as [[string, string], [string, string]];
  const told = ([who, text]: [string, string], against: string) => `  ${who.padEnd(10)}  ${from(text, against)}`;
  return [
    `Round ${round} (--seed ${seed} --round ${round}), ${caller}: ${method} ${path}`,
    `  ${JSON.stringify(body)?.slice(0, 4_000)}`,
    told(one, other[1]),
    told(other, one[1]),
  ].join('\n');
}

/** The text from a little before the first difference. */
function from(text: string, other: string): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const begin = Math.max(0, at - 200);
  return `${begin === 0 ? '' : '…'}${text.slice(begin, at + 500)}`;
}
