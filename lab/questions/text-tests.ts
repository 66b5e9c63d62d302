/** Random tests of texts: LIKE, MATCH, and comparisons that ignore case. */
import type { Random } from '../machine/random.ts';
import { comparisons, joined, type Part, plain, quoted, wordsIn } from './parts.ts';
import { patternOf } from './patterns.ts';
import { type CompareColumn, hasFullText, mostlyOwn } from './tables.ts';
import { fittingValue, type ValueType } from './values.ts';

interface Writers {
  /** @param depth of the functions in it */
  text(depth: number): Part;
  constant(type: ValueType): Part;
}

const anyText: ValueType = { kind: 'text' };

/**
 * @param columns those of text
 * @param mayFail whether a MATCH may name a column without full text
 */
export function textTestsOn(
  columns: readonly { readonly alias: string; readonly column: CompareColumn }[],
  random: Random,
  mayFail: boolean,
  { text, constant }: Writers,
) {
  const word = wordsIn(random);

  const written = (value: string, parameterShare: number): Part =>
    random.chance(parameterShare)
      ? { source: '?', params: [random.chance(0.05) ? null : value] }
      : plain(quoted(value));

  const use = ({ alias, column }: (typeof columns)[number]) => plain(`#${alias}.${column.name}`);

  function like(negation: string): Part {
    const escapedBy = random.chance(0.3) ? random.pick(['!', '\\', '😀', 'a', '%']) : null;
    const found = random.chance(0.75) ? mostlyOwn(columns, random) : null;
    const pattern = written(patternOf(found?.column.type ?? anyText, escapedBy, random), 0.15);
    const escaping = escapedBy === null ? '' : ` ${word('ESCAPE')} '${escapedBy}'`;
    const operand = found === null ? text(random.below(3)) : use(found);
    return joined([operand, pattern], (left, right) => {
      return `${left} ${negation}${word(random.pick(['LIKE', 'LIKE', 'ILIKE']))} ${right}${escaping}`;
    });
  }

  /** A word that the column probably has, or the beginning of one. */
  function wordOf({ type }: CompareColumn): string {
    const held = String(fittingValue(random.chance(0.8) ? type : anyText, random));
    const [first = ''] = random.some(held.slice(0, 40).split(' '), 1);
    return random.weighted([3, () => first], [2, () => `${[...first].slice(0, 2).join('')}*`], [1, () => `${first}*`]);
  }

  return {
    like,

    /** MATCH on a column with full text; usually LIKE if there is none. */
    match(): Part {
      const found = columns.filter(({ column }) => hasFullText(column));
      if (found.length === 0 && !(mayFail && random.chance(0.2))) return like('');
      const one = mostlyOwn(found.length > 0 ? found : columns, random);
      const words = random.times(random.between(1, 2), () => wordOf(one.column)).join(' ');
      return joined([use(one), written(words, 0.5)], (left, right) => `${word('MATCH')}(${left}, ${right})`);
    },

    /** Compares two texts ignoring case, as clients do. */
    folded(): Part {
      const fold = word(random.pick(['LOWER', 'UPPER']));
      const among = [text(0), random.chance(0.5) ? text(0) : constant(anyText)];
      return joined(among, (one, other) => `${fold}(${one}) ${random.pick(comparisons)} ${fold}(${other})`);
    },
  };
}
