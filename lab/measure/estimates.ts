/**
 * `npm run bench:estimates`: compares the time that a dry run estimates for a change of tables with the time that the change takes.
 * Exits with 1 if the bound is not met.
 */
import { whole, word } from '../machine/command.ts';
import { clearProgress, showProgress } from '../machine/progress.ts';
import { median } from '../machine/statistics.ts';
import { inStorage, prepare } from '../prove/folder.ts';
import { ChangedTable } from '../service/changed-table.ts';
import { type Running, startServer } from '../service/process.ts';
import type { Space } from '../service/spaces.ts';
import { type Kind, kinds, nameOf } from '../service/table-changes.ts';
import { begin } from './quiet.ts';

const boundRatio = 3;

const flags = begin(
  `Usage: npm run bench:estimates -- [flags]
Fills a table, and makes one change of each kind and takes it back, again and again. Before each, a dry run tells how long it would take.
Exits with 1 if a change takes more than ${boundRatio} times as long, or less than a third; those that take less than --least ms on both
sides are not judged.`,
  {
    rows: whole(300_000, 'rows of the table', 1),
    rounds: whole(5, 'how often each change is made', 1),
    least: whole(200, 'ms; shorter changes are not judged', 0),
    storage: word('', 'a PostgreSQL server instead of SQLite'),
  },
);

interface Step {
  readonly server: Running;
  readonly table: ChangedTable;
  readonly round: number;
}

interface Times {
  readonly estimatedMs: number[];
  readonly tookMs: number[];
}

console.log(flags.machine);
await inStorage(flags.storage === '' ? undefined : flags.storage, async ({ settings }) => {
  const [space] = (await prepare(settings, 1)) as [Space];
  const server = await startServer(settings);
  try {
    const table = new ChangedTable(space);
    await table.fill(server, flags.rows, (rows) => showProgress(`filling: ${rows}`));
    clearProgress();
    const times = new Map<string, Times>();
    for (let round = 0; round < flags.rounds; round++) {
      for (const kind of kinds)
        for (const isBack of [false, true]) await change({ server, table, round }, kind, isBack, times);
    }
    clearProgress();
    for (const [name, each] of times) report(name, each);
  } finally {
    await server.stop();
  }
});

async function change({ server, table, round }: Step, kind: Kind, isBack: boolean, times: Map<string, Times>) {
  const request = await table.request(server, kind, isBack, await table.schemas(server));
  const name = nameOf(kind, isBack);
  showProgress(`round ${round + 1} of ${flags.rounds}: ${name}`);
  const { results } = await table.ask(server, 'schemas/changes', { ...request, dryRun: true });
  const begun = performance.now();
  await table.ask(server, 'schemas/changes', request);
  const tookMs = performance.now() - begun;
  const { changes } = results as { changes: readonly { timeMs: number }[] };
  const known = times.get(name) ?? { estimatedMs: [], tookMs: [] };
  known.estimatedMs.push(changes.reduce((sum, { timeMs }) => sum + timeMs, 0));
  known.tookMs.push(tookMs);
  times.set(name, known);
}

function report(name: string, times: Times): void {
  const [estimatedMs, tookMs] = [median(times.estimatedMs), median(times.tookMs)];
  const isJudged = Math.max(estimatedMs, tookMs) >= flags.least;
  const ratio = tookMs / estimatedMs;
  const isMet = !isJudged || (ratio <= boundRatio && ratio >= 1 / boundRatio);
  if (!isMet) process.exitCode = 1;
  const told = isJudged ? `ratio ${ratio.toFixed(2)}${isMet ? '' : ', NOT MET'}` : 'too short to be judged';
  console.log(`${name}: estimated ${Math.round(estimatedMs)} ms, took ${Math.round(tookMs)} ms; ${told}`);
}
