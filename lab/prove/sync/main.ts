/**
 * `npm run prove-sync`: shows on the system calls of a running service that every acknowledged commit was synced before its
 * answer, and that a loss of power at any sync loses nothing acknowledged. Exits with 1 on any violation.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWith, readFlags, seed as seedFlag, whole } from '../../machine/command.ts';
import { type Proof, prove } from './prove.ts';

const usage = `Usage: npm run prove-sync -- [flags]
Traces the service under load with strace (Debian: apt-get install strace), checks that the log of a commit was synced
before the answer was written, replays the traced writes with the power cut at every sync, and opens what is left.`;

const { seed, ...sizes } = readFlags(usage, {
  batches: whole(2_000, 'how many batches are sent', 1),
  clients: whole(12, 'that send them, one after the other', 1),
  spaces: whole(3, 'data spaces that they write to', 1),
  seed: seedFlag(),
});

/** Reports are cut after this many; one is bad enough. */
const printedMax = 20;

await endWith(run);

async function run(): Promise<number> {
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
