/** Makes a valid expression invalid, to compare the errors of both services too. */

import type { Random } from '../machine/random.ts';
import type { Part } from './parts.ts';

/** One fault, which the parser or the check may refuse, or which may be harmless. */
export function spoiled({ source, params }: Part, random: Random): Part {
  const at = random.below(source.length + 1);
  return random.weighted(
    [3, () => ({ source: source.slice(0, at) + source.slice(at + 1), params })],
    [
      2,
      () => ({
        source:
          source.slice(0, at) +
          random.pick(["'", '(', ')', '#', '?', ' ', 'x', '5', ' NOT ', '\u0000', '"', ';', '--', '😀', '||']) +
          source.slice(at),
        params,
      }),
    ],
    [1, () => ({ source: source.slice(0, at), params })],
    [1, () => ({ source, params: params.slice(1) })],
    [1, () => ({ source, params: [...params, 'more'] })],
    [
      1,
      () => ({
        source,
        params: params.map(() => random.pick<unknown>(['x', '', '1.5', {}, [], true, '\ud800', '9'.repeat(30)])),
      }),
    ],
    [1, () => ({ source: `${source} AND ${source}`, params: [...params, ...params] })],
  );
}
