/**
 * `npm run compare:groups`: queries both engines for random rows, page by page, and for groups of them, and compares
 * their answers with those of independent oracles (`rows-oracle.ts`, `groups-oracle.ts`). Exits with 1 when an answer
 * differs by a byte.
 */
import { readFlags, seed as seedFlag, whole } from '../machine/command.ts';
import { salesTable } from './groups-oracle.ts';
import { askOracle, describe } from './groups-run.ts';
import { type Answer, type Caller, startPair } from './services.ts';

const { cases, seed, round } = readFlags(
  `Usage: npm run compare:groups -- [flags]
Compares what both engines answer about rows, their pages by cursor and groups with oracles; a PostgreSQL server is started for the time.`,
  {
    cases: whole(100_000, 'how many questions are asked'),
    seed: seedFlag(),
    round: whole(0, 'begins at that round of the seed'),
  },
);

console.log(`Seed ${seed}: ${cases} questions.`);
const pair = await startPair();
const begun = performance.now();
let printedAt = begun;
try {
  const differences = await askOracle({ fill, ask }, { seed, cases, round, progress: show });
  for (const difference of differences) console.log(`\n${describe(difference, seed)}`);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(`\n${cases} questions in ${seconds} s: ${differences.length} differences.`);
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await pair.close();
}

/** alice sees the records; further ones that bob added are hidden from her. */
async function fill(records: readonly Record<string, unknown>[]): Promise<void> {
  await post('alice', 'schemas', { isResetDatabase: true, tables: [salesTable] });
  const add = (caller: Caller, scopeType: string) =>
    post(caller, 'data/batch/addData', {
      objectName: salesTable.name,
      data: records.map((record, index) => ({ ...record, objectId: `${caller}${index}`, scopeType })),
    });
  if (records.length === 0) return;
  await add('alice', '3');
  await add('bob', '1');
}

async function ask({ body, pages }: { readonly body: object; readonly pages: number }) {
  const [sqlite, postgres] = await pair.ask('alice', {
    method: 'POST',
    path: 'data/select/Sale',
    body,
    pages: pages + 1,
  });
  return { sqlite: rowsOf(sqlite), postgres: rowsOf(postgres) };
}

async function post(caller: Caller, path: string, body: object): Promise<void> {
  for (const answer of await pair.ask(caller, { method: 'POST', path, body })) requireOk(answer);
}

/** The rows of all pages, one per line. */
function rowsOf(answer: Answer): readonly unknown[] {
  requireOk(answer);
  return answer.text.split('\n').flatMap((page) => (JSON.parse(page) as { rows: unknown[] }).rows);
}

function requireOk({ status, text }: Answer): void {
  if (status !== 200) throw new Error(`The service answered ${status}: ${text.slice(0, 1_000)}`);
}

function show(done: number, differences: number): void {
  if (performance.now() - printedAt < (process.stdout.isTTY ? 200 : 10_000)) return;
  printedAt = performance.now();
  process.stdout.write(
    `${process.stdout.isTTY ? '\r' : ''}${done} questions: ${differences} differences.${process.stdout.isTTY ? '' : '\n'}`,
  );
}
