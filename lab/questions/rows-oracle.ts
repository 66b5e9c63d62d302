/**
 * An oracle for rows and their pages by cursor that is independent of both engines
 * (docs/reference/queries.md#selecting): random queries for the rows of one table in some order, whose pages together
 * are the whole answer.
 */
import type { Random } from '../machine/random.ts';
import { type Cell, compare, jsonOf, type Question, rowTermsOf, type Sale, salesTable } from './groups-oracle.ts';

/** @param sales whose objectIds end with their index here and are otherwise equal */
export function randomRowsQuestion(sales: readonly Sale[], random: Random): Question {
  const least = random.chance(0.5) ? random.between(-1, 2) : null;
  const chosen = [...sales.entries()].filter(
    ([, { grade }]) => least === null || (grade !== null && compare(grade as Cell, least) >= 0),
  );
  const order = random
    .some(Object.keys(sales[0] ?? {}), random.weighted([1, () => 0], [3, () => 1], [3, () => 2], [1, () => 3]))
    .map((column) => ({ column, descending: random.chance(0.5) }));
  const found = chosen.toSorted(([place, sale], [otherPlace, other]) => {
    for (const { column, descending } of order) {
      const sign = compare(sale[column] as Cell, other[column] as Cell);
      if (sign !== 0) return descending ? -sign : sign;
    }
    const sign = compare(String(place), String(otherPlace));
    return order.at(-1)?.descending === true ? -sign : sign;
  });
  const named = random
    .some(rowTermsOf(sales), random.between(1, 3))
    .map((term, index) => ({ name: `v${index}`, term }));
  const isPaged = random.chance(0.8);
  return {
    body: {
      from: { phyName: salesTable.name, alias: 's' },
      ...(least !== null && { where: { expression: { source: '#s.grade >= ?', params: [String(least)] } } }),
      select: named.map(({ name, term }) => ({ name, expression: { source: term.source } })),
      ...(order.length > 0 && {
        orderBy: order.map(({ column, descending }) => ({ column: `#s.${column}`, type: descending ? 'DESC' : 'ASC' })),
      }),
      ...(isPaged && { range: { limit: random.between(1, 7) }, after: '' }),
    },
    pages: isPaged ? sales.length : 1,
    rows: found.map(([, sale]) =>
      Object.fromEntries(named.map(({ name, term }) => [name, jsonOf(term.of(sale), term.kind)])),
    ),
  };
}
