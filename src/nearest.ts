/** Finds the known name that was probably meant, for names of every kind. */

/** Longer text is not a mistyped name. */
const nameLengthMax = 63;

/** The end of a sentence about an unknown name: `; did you mean "Name"?`, or a full stop. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? '.' : `; did you mean "${meant}"?`;
}

/** The same as a separate sentence: ` Did you mean "Name"?`, or nothing. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const meant = nearest(name, candidates);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

/** The end of a sentence about an unknown name in a short list: the probable name, or all names. */
export function didYouMeanOneOf(name: string, known: readonly string[]): string {
  if (known.length === 0) return '; none is taken.';
  return nearest(name, known) === undefined ? `; known are ${known.join(', ')}.` : didYouMean(name, known);
}

/**
 * The candidate closest to the name, ignoring case, for a "did you mean"; undefined when none is close.
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

/**
 * The number of letters to insert, delete or replace, at most `limit`. Only cells reachable with fewer are visited,
 * because a batch may misspell a thousand columns in a table of hundreds.
 */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let previous = new Uint8Array(to.length + 2).fill(limit);
  let current = new Uint8Array(to.length + 2).fill(limit);
  for (let column = 0; column < limit; column++) previous[column] = column;
  for (let row = 1; row <= from.length; row++) {
    const first = Math.max(1, row - limit + 1);
    const last = Math.min(to.length, row + limit - 1);
    current[first - 1] = first === 1 ? Math.min(row, limit) : limit;
    let least = current[first - 1]!;
    for (let column = first; column <= last; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      const distance = Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1, limit);
      current[column] = distance;
      if (distance < least) least = distance;
    }
    if (least === limit) return limit;
    current[last + 1] = limit;
    [previous, current] = [current, previous];
  }
  return previous[to.length]!;
}
