/**
 * An oracle for random queries: joins, order and ranges computed on rows in memory (docs/reference/queries.md).
 */
import fc from 'fast-check';
import {
  binds,
  type Cell,
  type Combination,
  type Condition,
  compareCells,
  compared,
  condition,
  type FuzzRow,
  node,
  numberColumns,
} from './random-conditions.ts';

export interface FuzzJoin {
  readonly kind: 'INNER JOIN' | 'LEFT OUTER JOIN' | 'RIGHT OUTER JOIN' | 'FULL OUTER JOIN';
  readonly alias: string;
  readonly on: Condition;
}
export interface SortKey {
  readonly alias: string;
  readonly column: keyof FuzzRow;
  readonly descending: boolean;
}
export interface FuzzQuery {
  readonly joins: readonly FuzzJoin[];
  readonly where: Condition | null;
  readonly orderBy: readonly SortKey[];
  readonly range: { readonly offset: number; readonly limit: number } | null;
}

/** Aliases of a query, in its order; all read the same table. */
const aliasesOf = ['p', 'q', 'r'] as const;

/** Mostly equalities, so that joins find some matches and miss others. */
function onCondition(aliases: readonly string[]): fc.Arbitrary<Condition> {
  const joined = aliases.at(-1) as string;
  const earlier = aliases.slice(0, -1);
  const equality = fc
    .tuple(fc.constantFrom(...earlier), fc.constantFrom(...numberColumns))
    .map(([alias, name]) =>
      node(binds.comparison, `#${joined}.${name} = #${alias}.${name}`, [], (rows) =>
        compared('=', rows.get(joined)?.[name] ?? null, rows.get(alias)?.[name] ?? null),
      ),
    );
  return fc.oneof({ weight: 2, arbitrary: equality }, { weight: 1, arbitrary: condition(aliases, 1) });
}

export function query(joinsMax: number): fc.Arbitrary<FuzzQuery> {
  return fc.integer({ min: 0, max: joinsMax }).chain((count) => {
    const aliases = aliasesOf.slice(0, count + 1);
    const join = (index: number) =>
      fc.record({
        kind: fc.constantFrom<FuzzJoin['kind']>('INNER JOIN', 'LEFT OUTER JOIN', 'RIGHT OUTER JOIN', 'FULL OUTER JOIN'),
        alias: fc.constant(aliasesOf[index + 1] as string),
        on: onCondition(aliasesOf.slice(0, index + 2)),
      });
    const sortKey = fc.record({
      alias: fc.constantFrom(...aliases),
      column: fc.constantFrom(
        'a' as const,
        'b' as const,
        'x' as const,
        's' as const,
        'u' as const,
        'objectId' as const,
      ),
      descending: fc.boolean(),
    });
    return fc.record({
      joins: fc.tuple(...Array.from({ length: count }, (_, index) => join(index))),
      where: fc.option(condition(aliases, 2)),
      orderBy: fc.array(sortKey, { maxLength: 3 }),
      range: fc.option(fc.record({ offset: fc.integer({ min: 0, max: 8 }), limit: fc.integer({ min: 1, max: 12 }) })),
    });
  });
}

function joinByHand(
  left: readonly Combination[],
  join: FuzzJoin,
  rows: readonly FuzzRow[],
  before: readonly string[],
): Combination[] {
  const joined: Combination[] = [];
  const found = new Set<FuzzRow>();
  for (const combination of left) {
    let matches = 0;
    for (const row of rows) {
      const pair = new Map(combination).set(join.alias, row);
      if (join.on.evaluate(pair) !== true) continue;
      joined.push(pair);
      found.add(row);
      matches++;
    }
    const isKept = join.kind === 'LEFT OUTER JOIN' || join.kind === 'FULL OUTER JOIN';
    if (matches === 0 && isKept) joined.push(new Map(combination).set(join.alias, null));
  }
  if (join.kind === 'RIGHT OUTER JOIN' || join.kind === 'FULL OUTER JOIN') {
    const none: readonly (readonly [string, FuzzRow | null])[] = before.map((alias) => [alias, null]);
    for (const row of rows) if (!found.has(row)) joined.push(new Map([...none, [join.alias, row]]));
  }
  return joined;
}

/** Nulls first ascending and last descending; then the objectId of every alias, in the query's order. */
function inOrder(
  combinations: readonly Combination[],
  keys: readonly SortKey[],
  aliases: readonly string[],
): Combination[] {
  const all: readonly SortKey[] = [
    ...keys,
    ...aliases.map((alias) => ({ alias, column: 'objectId' as const, descending: false })),
  ];
  return [...combinations].sort((one, other) => {
    for (const { alias, column: name, descending } of all) {
      const [left, right]: Cell[] = [one.get(alias)?.[name] ?? null, other.get(alias)?.[name] ?? null];
      if (left === right) continue;
      const order =
        left === null || left === undefined
          ? -1
          : right === null || right === undefined
            ? 1
            : compareCells(left, right);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

/** The expected answer on these rows: the objectIds under each alias, and the number of all rows. */
export function answerByHand(
  { joins, where, orderBy, range }: FuzzQuery,
  rows: readonly FuzzRow[],
): { ids: Record<string, (string | null)[]>; count: number } {
  const aliases = aliasesOf.slice(0, joins.length + 1);
  let combinations: Combination[] = rows.map((row) => new Map([[aliases[0] as string, row]]));
  for (const [index, join] of joins.entries())
    combinations = joinByHand(combinations, join, rows, aliases.slice(0, index + 1));
  const kept = inOrder(
    combinations.filter((each) => where === null || where.evaluate(each) === true),
    orderBy,
    aliases,
  );
  const part = range === null ? kept : kept.slice(range.offset, range.offset + range.limit);
  const ids = Object.fromEntries(
    aliases.map((alias) => [alias, part.map((each) => each.get(alias)?.objectId ?? null)]),
  );
  return { ids, count: kept.length };
}
