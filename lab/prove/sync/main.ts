/**
 * `npm run prove-sync`: shows on the system calls of a running service that every acknowledged commit was synced before its
 * answer, and that a loss of power at any sync loses nothing acknowledged. Exits with 1 on any violation.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Proof, prove } from './prove.ts';

const usage = `npm run prove-sync -- [--batches 2000] [--clients 12] [--spaces 3] [--seed <number>]
Traces the service under load with strace (Debian: apt-get install strace), checks that the log of a commit was synced
before the answer was written, replays the traced writes with the power cut at every sync, and opens what is left.`;

/** Reports are cut after this many; one is bad enough. */
const printedMax = 20;

try {
  process.exitCode = await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(): Promise<number> {
  const { values: flags } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      batches: { type: 'string', default: '2000' },
      clients: { type: 'string', default: '12' },
      spaces: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  });
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const seed = wholeNumber('--seed', flags.seed, 0);
  const sizes = {
    batches: wholeNumber('--batches', flags.batches, 1),
    clients: wholeNumber('--clients', flags.clients, 1),
    spaces: wholeNumber('--spaces', flags.spaces, 1),
  };
  console.log(`Seed ${seed}: ${sizes.batches} batches from ${sizes.clients} clients into ${sizes.spaces} data spaces.`);
  const folder = mkdtempSync(join(tmpdir(), 'rowhouse-prove-sync-'));
  try {
    const proof = await prove({ folder, ...sizes, seed, progress: showProgress });
    console.log(describe(proof));
    return proof.violations.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function wholeNumber(flag: string, text: string, least: number): number {
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= least) return number;
  throw new Error(`${flag}: ${JSON.stringify(text)} came; a whole number of at least ${least} was expected.`);
}

/** A line at every tenth. */
function showProgress(step: string, done: number, of: number): void {
  if (Math.floor((done * 10) / of) > Math.floor(((done - 1) * 10) / of)) console.log(`  ${step}: ${done} of ${of}`);
}

function describe({ acknowledged, syncedBefore, syncs, opened, violations }: Proof): string {
  const share = ((syncedBefore / acknowledged) * 100).toFixed(syncedBefore === acknowledged ? 0 : 3);
  const more = violations.length > printedMax ? [`… and ${violations.length - printedMax} more.`] : [];
  return [
    `Acknowledged commits preceded by their sync: ${syncedBefore} of ${acknowledged}, ${share} %.`,
    `Power cuts: at ${syncs} syncs, ${opened} databases opened; integrity_check and all acknowledged transactions.`,
    `Violations: ${violations.length}.`,
    ...violations.slice(0, printedMax),
    ...more,
  ].join('\n');
}
