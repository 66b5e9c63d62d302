/** Random conditions with a sub-query, mostly correlated with the outer tables. */
import type { Random } from '../machine/random.ts';
import type { Source } from './expressions.ts';
import { joined, type Part, plain, wordsIn } from './parts.ts';
import type { CompareTable } from './tables.ts';
import type { ValueType } from './values.ts';

/** The maximum nesting depth of sub-queries. */
export const subQueryDepthMax = 2;

/** Writers of the expressions around and within a sub-query. */
interface Writers {
  /** A column of the outer query, of a suitable type. */
  column(fits: (type: ValueType) => boolean): { readonly part: Part } | null;
  constant(type: ValueType): Part;
  aggregate(): Part;
  /** Whether some may contain an error. */
  readonly mayFail: boolean;
  within(sources: readonly Source[]): { on(): Part; where(): Part };
}

export function subQueriesOn(
  sources: readonly Source[],
  tables: readonly CompareTable[],
  random: Random,
  depth: number,
  { column, constant, aggregate, mayFail, within }: Writers,
) {
  const word = wordsIn(random);
  const ownAlias = () =>
    mayFail && random.chance(0.02) ? sources[0]!.alias : random.pick([`s${depth}`, `where${depth}`]);

  /** FROM and WHERE. */
  function from({ alias, table }: Source, where: Part | null): Part {
    const written = `${word('FROM')} ${mayFail && random.chance(0.02) ? 'Nowhere' : table.name} ${alias}`;
    return where === null ? plain(written) : joined([where], (part) => `${written} ${word('WHERE')} ${part}`);
  }

  function fromJoined(own: Source): Part {
    const inner = within([...sources, own]);
    return from(own, random.weighted<Part | null>([1, () => null], [5, inner.on], [1, inner.where]));
  }

  const existing = (found: Part) => joined([found], (part) => `${word('EXISTS')} (${word('SELECT')} 1 ${part})`);

  function among(operand: Part, negation: string, selected: Part, found: Part): Part {
    return joined([operand, selected, found], (value, other, part) => {
      return `${value} ${negation}${word('IN')} (${word('SELECT')} ${other} ${part})`;
    });
  }

  return {
    exists: () => existing(fromJoined({ alias: ownAlias(), table: random.pick(tables) })),

    /** The value usually has the kind of the column in which it is looked up. */
    amongFound(negation: string): Part {
      const own = { alias: ownAlias(), table: random.pick(tables) };
      const { name, type } = random.pick(own.table.columns.filter((one) => one.type.kind !== 'json'));
      const partner = column((other) => other.kind === type.kind || (mayFail && random.chance(0.1)));
      const selected = random.chance(0.9) ? plain(`#${own.alias}.${name}`) : constant(type);
      return among(partner?.part ?? constant(type), negation, selected, fromJoined(own));
    },

    /** About groups. */
    ofGroups(): Part {
      const own = { alias: 'h', table: random.pick(tables) };
      const found = from(own, within([own]).where());
      const whole = own.table.columns.find(({ type }) => type.kind === 'integer');
      if (whole === undefined || random.chance(0.3)) return existing(found);
      return among(aggregate(), random.pick(['', 'NOT ']), plain(`#h.${whole.name}`), found);
    },
  };
}
