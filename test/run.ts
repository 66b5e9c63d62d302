/**
 * Runs all tests, or those on the named engines: `node bin/node.js test/run.ts [sqlite] [postgres] [--costs]`. Both
 * engines share one queue of processes, so that one works while another waits, and the longest come first. Exits with 1
 * when a test failed, and finally prints the sum of both engines. `--costs` lists the processor time of each file.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Postgres, startPostgres } from '../lab/machine/postgres.ts';
import type { Engine } from '../lab/machine/scratch.ts';
import { makeDatabase } from '../lab/machine/scratch-database.ts';
import { cpuUs } from '../lab/machine/usage.ts';
import { type Batch, batchesOn, testsLeftOut } from './batches.ts';
import { layOut } from './engines/layout.ts';
import type { FileCost } from './together.ts';

const together = join(import.meta.dirname, 'together.ts');
const testMsMax = 300_000;
/** One more than there are processors, because tests wait for disks, children and each other. */
const processes = availableParallelism() + 1;

const counted = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo'] as const;
type Counts = Record<(typeof counted)[number], number>;

interface Ended {
  readonly counts: Counts;
  /** Lines of tests that this machine can run only in a weaker form, or not at all. */
  readonly weaker: readonly string[];
  /** The report on failed tests; empty without failures. */
  readonly failures: string;
  readonly costs: readonly (FileCost & Pick<Task, 'engine'>)[];
}

type Task = Batch & { readonly engine: Engine };

interface Databases {
  /** Undefined if no test needs one. */
  readonly server: string | undefined;
  /** Result of `layOut`; undefined on an external server, which must not keep it. */
  readonly layout: string | undefined;
}

/** Runs a batch in a separate process and prints its complete report when it ends. */
async function runBatch({ engine, files, locale }: Task, { server, layout }: Databases): Promise<Ended> {
  const variables = {
    ...(server === undefined ? {} : { ROWHOUSE_TEST_POSTGRES: server }),
    ...(layout === undefined || locale !== undefined ? {} : { ROWHOUSE_TEST_LAYOUT: layout }),
    ...(locale === undefined ? {} : { ROWHOUSE_TEST_DATABASE_LOCALE: locale }),
  };
  const skip = testsLeftOut.map((name) => `--test-skip-pattern=/^${RegExp.escape(name)}$/`);
  const options = [`--test-timeout=${testMsMax}`, '--test-reporter=spec', ...skip];
  const child = spawn(process.execPath, [...options, together, ...files], {
    env: { ...process.env, ...variables, ROWHOUSE_TEST_ENGINE: engine },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // A hanging test is ended by its own limit; this ends a process that keeps running after its tests.
  const late = setTimeout(() => child.kill('SIGKILL'), 2 * testMsMax);
  const costs: Ended['costs'][number][] = [];
  child.on('message', (cost: FileCost) => costs.push({ ...cost, engine }));
  let report = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    report += text;
    late.refresh();
  });
  const [status, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  clearTimeout(late);
  const [tests = '', summary = '', failures = ''] = report.split(/^(?=ℹ tests \d+$|✖ failing tests:$)/m);
  process.stdout.write(tests);
  const counts = Object.fromEntries(
    counted.map((name) => [name, Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(summary)?.[1] ?? 0)]),
  ) as Counts;
  const weaker = [...tests.matchAll(/^ *(?:﹣.*|.*\bweaker here: .*)$/gm)].map(([line]) => line.trim());
  if (status === 0 && counts.tests > 0) return { counts, weaker, failures: '', costs };
  if (counts.fail + counts.cancelled > 0) return { counts, weaker, failures, costs };
  const how = `✖ the process of ${files.join(', ')} on ${engine} ended with ${signal ?? status}\n`;
  return { counts: { ...counts, fail: 1 }, weaker, failures: how, costs };
}

function notRun({ files, locale }: Task, reason: string): Ended {
  const counts = Object.fromEntries(counted.map((name) => [name, name === 'skipped' ? files.length : 0])) as Counts;
  return {
    counts,
    weaker: [`weaker here: ${files.join(', ')} in no database of locale ${locale}: ${reason}`],
    failures: '',
    costs: [],
  };
}

/** Why the server can't create databases of this locale; null if it can. */
async function localeRefused(server: string, locale: string): Promise<string | null> {
  try {
    await (await makeDatabase(server, undefined, locale)).remove();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** Runs the batches in order, as many at once as there are processes. */
async function runAll(engines: readonly Engine[], databases: Databases): Promise<Ended[]> {
  const queue = engines.flatMap((engine) => batchesOn(engine).map((batch) => ({ ...batch, engine })));
  queue.sort((one, other) => other.cost - one.cost);
  const ended: Ended[] = [];
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const refused = next.locale === undefined ? null : await localeRefused(databases.server as string, next.locale);
      ended.push(refused === null ? await runBatch(next, databases) : notRun(next, refused));
    }
  };
  await Promise.all(Array.from({ length: processes }, lane));
  return ended;
}

function tellCosts(ended: readonly Ended[], serverUs: number): void {
  const seconds = (us: number) => `${(us / 1_000_000).toFixed(1).padStart(7)} s`;
  const costs = ended.flatMap((each) => each.costs).sort((one, other) => other.cpuUs - one.cpuUs);
  console.log('Processor time of each file, with its child processes:');
  for (const { cpuUs: us, file, engine } of costs) console.log(`${seconds(us)} ${file} on ${engine}`);
  console.log(`${seconds(serverUs)} the PostgreSQL server of the run`);
  console.log(`${seconds(cpuUs(process.pid, 'with children'))} everything`);
}

const { values: flags, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { costs: { type: 'boolean' } },
});
const engines = (['sqlite', 'postgres'] as const).filter((engine) => named.length === 0 || named.includes(engine));
const given = process.env.ROWHOUSE_TEST_POSTGRES;
const begin = performance.now();
let server: Postgres | undefined;
if (engines.includes('postgres') && given === undefined) server = await startPostgres();
const layout = server === undefined ? undefined : await layOut(server.url);
const ended = await runAll(engines, { server: given ?? server?.url, layout });
const serverUs = server === undefined ? 0 : cpuUs(server.pid, 'with children');
await server?.stop();

if (flags.costs) tellCosts(ended, serverUs);
for (const line of ended.flatMap(({ weaker }) => weaker)) console.log(`ℹ weaker on this machine: ${line}`);
for (const name of counted) console.log(`ℹ ${name} ${ended.reduce((sum, { counts }) => sum + counts[name], 0)}`);
console.log(`ℹ duration_ms ${Math.round(performance.now() - begin)}`);
const failures = ended.map((each) => each.failures).filter((text) => text !== '');
if (failures.length > 0) console.log(`\n${failures.join('\n')}`);
process.exitCode = failures.length === 0 ? 0 : 1;
