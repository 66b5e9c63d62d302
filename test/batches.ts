/** The test files of an engine's run, and which of them share a process. */
import { globSync } from 'node:fs';
import type { Engine } from '../lab/machine/scratch.ts';
import { asksForStorage } from './engines/asking.ts';
import { filesNotOnCitus, testsNotOnCitus } from './not-on-citus.ts';

/** These start services on both engines themselves, whatever the engine of the run. */
const onBothThemselves = 'move/';

/**
 * On PostgreSQL these run in `structure/postgres/schemas.test.ts`, on a server that logs its statements: every operation on
 * records, and changes of tables; not `versions`, whose copies of data spaces read one and write another.
 */
export const runsUnderLog = ['writes', 'queries', 'older', 'visibility', 'schemas'].map(
  (name) => `blackbox/${name}.test.ts`,
);

/** These run again on PostgreSQL in databases of other locales: tests of comparing, sorting and folding text. */
const inLocales = ['directory/folding', 'directory/paging', 'query/code-points'].map((name) => `${name}.test.ts`);
const locales = ['C.UTF-8', 'icu:de-DE'];

/** The most expensive files, and their approximate processor time in seconds (`run.ts --costs`). */
const costs: Readonly<Record<string, number>> = {
  'proof/postgres/instances.test.ts': 27,
  'proof/faults.test.ts': 20,
  'proof/proofs.test.ts': 20,
  'compare/postgres/engines.test.ts': 19,
  'auth/negative.test.ts': 13,
  'structure/postgres/schemas.test.ts': 12,
  'move/postgres/interrupted.test.ts': 12,
  'console/sqlite/screens.test.ts': 12,
  'structure/postgres/citus.test.ts': 11,
  'client/sqlite/browser.test.ts': 11,
  'docs/sign-in-guides.test.ts': 9,
  'storage/sqlite/call-memory.test.ts': 9,
  'pages/sqlite/pages.test.ts': 9,
  'cli/serve.test.ts': 9,
  'soak/soak.test.ts': 9,
  'blackbox/answers-under-way.test.ts': 8,
  'bench/claims.test.ts': 8,
  'client/sqlite/chromium.test.ts': 8,
  'client/sqlite/apps.test.ts': 7,
  'console/sqlite/every-screen.test.ts': 7,
  'console/sqlite/roles.test.ts': 7,
  'console/records-screen.test.ts': 6,
  'console/sqlite/tasks.test.ts': 6,
  'proof/sync.test.ts': 6,
  'storage/sqlite/reads.test.ts': 6,
  'auth/providers.test.ts': 5,
  'cli/commands.test.ts': 5,
  'cli/postgres/workers.test.ts': 5,
  'docs/tour.test.ts': 5,
  'packages/pack.test.ts': 5,
  'proof/hostile.test.ts': 5,
  'proof/postgres/rolling.test.ts': 5,
  'proof/sign-in.test.ts': 5,
  'audit/acts.test.ts': 4,
  'blackbox/corpora.test.ts': 4,
  'blackbox/limits.test.ts': 4,
  'blackbox/oracle.test.ts': 4,
  'blackbox/restart.test.ts': 4,
  'console/sqlite/troubles.test.ts': 4,
  'docs/set-up.test.ts': 4,
  'query/semantics.test.ts': 4,
};
/** From this cost on, a file has its own process. */
const aloneFrom = 15;
/** Such files wait for servers and children of theirs, so they take longer than others of the same cost, and must begin earlier. */
const aloneFactor = 2;
/** These also have their own process, because the whole process uses their server. */
const alone = 'structure/postgres/';

/** Whether `citus.ts` started this run. */
const onCluster = process.env.ROWHOUSE_TEST_CLUSTER !== undefined;

/** Names of tests that this run skips. */
export const testsLeftOut: readonly string[] = onCluster ? Object.keys(testsNotOnCitus) : [];

/** Cost of any other file, in seconds of processor time. */
const usualCost = 0.8;
/** Files share a process until they cost this much: to start one and to warm it up takes more than a second. */
const sharedCostMax = 30;

export interface Batch {
  /** Paths below `test/`. */
  readonly files: readonly string[];
  readonly cost: number;
  /** Locale of the databases (`ROWHOUSE_TEST_DATABASE_LOCALE`); the usual one by default. */
  readonly locale?: string;
}

/** Every file of the engine's run once, and the files that run again in databases of other locales. */
export function batchesOn(engine: Engine): Batch[] {
  if (onCluster) return [...ownBatches(engine), { files: ['cluster/forms.ts'], cost: usualCost }];
  const again = inLocales.map((file) => costOf(file)).reduce((sum, cost) => sum + cost, 0);
  const elsewhere = locales.map((locale) => ({ files: inLocales, cost: again, locale }));
  return [...ownBatches(engine), ...(engine === 'postgres' ? elsewhere : [])];
}

const costOf = (file: string) => costs[file] ?? usualCost;

/** Neighbours share a process, whatever their folders. */
function ownBatches(engine: Engine): Batch[] {
  const isAlone = (file: string) => file.startsWith(alone) || costOf(file) >= aloneFrom;
  const [own = [], shared = []] = [true, false].map((is) => filesOn(engine).filter((file) => isAlone(file) === is));
  const batches: { files: string[]; cost: number }[] = own.map((file) => ({
    files: [file],
    cost: aloneFactor * costOf(file),
  }));
  let last: (typeof batches)[number] | undefined;
  for (const file of shared) {
    if (last === undefined || last.cost + costOf(file) > sharedCostMax) {
      last = { files: [], cost: 0 };
      batches.push(last);
    }
    last.files.push(file);
    last.cost += costOf(file);
  }
  return batches;
}

const leftOut = (file: string) =>
  Object.keys(filesNotOnCitus).some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name));

function filesOn(engine: Engine): string[] {
  const files = globSync('**/*.test.ts', { cwd: import.meta.dirname }).sort();
  const engineOf = (file: string) => /\/(sqlite|postgres)\//.exec(file)?.[1];
  const isOnBoth = (file: string) => !file.startsWith(onBothThemselves) && asksForStorage(file);
  return files.filter(
    (file) =>
      (engine === 'sqlite' || onCluster || !runsUnderLog.includes(file)) &&
      !(onCluster && leftOut(file)) &&
      (onCluster || !file.includes('/citus/')) &&
      (engineOf(file) ?? (engine === 'sqlite' || isOnBoth(file) ? engine : '')) === engine,
  );
}
