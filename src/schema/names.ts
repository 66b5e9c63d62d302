/** The names of tables and columns: which ones are allowed, and which one was probably meant. */

const nameLengthMax = 63;

/** What a name has to look like, for errors. */
export const nameForm = `a letter, then letters, digits or _, at most ${nameLengthMax} characters in all`;

/** True for `[A-Za-z][A-Za-z0-9_]{0,62}` (decisions.md §5). Names of our own begin with `_`, so they never clash. */
export function isName(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]{0,62}$/.test(text);
}

/**
 * The candidate that differs least from the name, for a "did you mean"; undefined when none comes close. Case counts
 * for nothing: a name that differs only in it is the nearest there is.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  if (wanted.length > nameLengthMax) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(2, Math.floor(wanted.length / 2)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many letters have to be put in, left out or replaced; `limit` when it takes that many or more. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return Math.min(previous[to.length]!, limit);
}
