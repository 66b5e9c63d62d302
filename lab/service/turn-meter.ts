/** The longest turn of the event loop of this thread, in processor time: what others on the machine do does not count. */
const everyMs = 1;

let timer: NodeJS.Timeout | undefined;
let before = 0;
let longestMs = 0;

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** @returns the longest turn since it was asked before, in milliseconds; 0 when it is asked for the first time */
export function longestTurn(): number {
  if (timer === undefined) {
    before = cpuMs();
    timer = setInterval(look, everyMs);
    timer.unref();
  }
  look();
  const longest = longestMs;
  longestMs = 0;
  return longest;
}

function look(): void {
  const now = cpuMs();
  longestMs = Math.max(longestMs, now - before);
  before = now;
}
