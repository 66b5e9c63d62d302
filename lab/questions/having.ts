/** Random conditions on groups. */
import type { Random } from '../machine/random.ts';
import { comparisons, joined, operatorsIn, type Part, plain } from './parts.ts';

interface Writers {
  aggregate(): Part;
  /** A condition with a sub-query. */
  ofGroups(): Part;
}

/** Writes a condition on groups with values of the given names. */
export function havingOf({ aggregate, ofGroups }: Writers, random: Random) {
  const between = operatorsIn(random);
  const number = () => plain(String(random.between(-3, 5)));
  return function having(names: readonly string[]): Part {
    const value = () => (random.chance(0.5) ? plain(random.pick(names)) : aggregate());
    return random.weighted(
      [4, () => between(comparisons, aggregate(), number())],
      [2, () => between(comparisons, value(), value())],
      [1, () => joined([value()], (part) => `${part} IS NOT NULL`)],
      [1, () => joined([value(), number(), number()], (part, low, high) => `${part} BETWEEN ${low} AND ${high}`)],
      [1, () => between(['AND', 'OR'], having(names), having(names))],
      [1, ofGroups],
    );
  };
}
