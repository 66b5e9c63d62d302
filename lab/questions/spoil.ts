/** Spoils a right expression, so that the errors of both services are compared too. */

import type { Random } from '../machine/random.ts';
import type { Part } from './parts.ts';

/** One thing wrong with it, which the parser, the check or nobody may mind. */
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
