/**
 * The long turns of this thread's event loop, in processor time, which excludes other programs on the machine. The
 * system accounts for processor time late, at its clock tick, so a turn counts with at most its elapsed time.
 */

const everyMs = 1;

/** Milliseconds from which turns are counted. */
const countedFrom = [5, 10, 20, 50] as const;

export interface Turns {
  /** Milliseconds. */
  readonly longestMs: number;
  /** How many turns took at least this many milliseconds. */
  readonly counts: Readonly<Record<(typeof countedFrom)[number], number>>;
}

let timer: NodeJS.Timeout | undefined;
let before = { cpuMs: 0, now: 0 };
let turns = none();

/** @returns the turns since the last call; none at the first call */
export function turnsSinceAsked(): Turns {
  if (timer === undefined) {
    before = { cpuMs: cpuMs(), now: performance.now() };
    timer = setInterval(look, everyMs);
    timer.unref();
  }
  look();
  const since = turns;
  turns = none();
  return since;
}

function none() {
  return { longestMs: 0, counts: { 5: 0, 10: 0, 20: 0, 50: 0 } };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function look(): void {
  const present = { cpuMs: cpuMs(), now: performance.now() };
  const tookMs = Math.min(present.cpuMs - before.cpuMs, present.now - before.now);
  before = present;
  turns.longestMs = Math.max(turns.longestMs, tookMs);
  for (const from of countedFrom) if (tookMs >= from) turns.counts[from]++;
}
