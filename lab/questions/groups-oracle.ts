/**
 * An oracle for groups that is independent of both engines (docs/reference/queries.md#groups): random queries on the
 * rows of one table, with answers computed exactly.
 */
import type { Random } from '../machine/random.ts';

export type Cell = string | number | bigint | boolean | null;

/** A kind of value: decimals are unscaled integers, times are milliseconds. */
export interface Kind {
  readonly name: 'text' | 'integer' | 'long' | 'decimal' | 'double' | 'bool' | 'datetime';
  readonly scale?: number;
}

/** A record of `Sale`, by column. */
export type Sale = Readonly<Record<string, Cell>>;

const columns: Readonly<Record<string, Kind & { readonly definition: object }>> = {
  place: { name: 'text', definition: { type: 'varchar', fieldLength: 8 } },
  note: { name: 'text', definition: { type: 'text' } },
  grade: { name: 'integer', definition: { type: 'integer' } },
  amount: { name: 'long', definition: { type: 'long' } },
  price: { name: 'decimal', scale: 2, definition: { type: 'decimal', precision: 18, scale: 2 } },
  rate: { name: 'decimal', scale: 4, definition: { type: 'decimal', precision: 7, scale: 4 } },
  weight: { name: 'double', definition: { type: 'double' } },
  paid: { name: 'bool', definition: { type: 'bool' } },
  at: { name: 'datetime', definition: { type: 'datetime' } },
};

export const salesTable = {
  name: 'Sale',
  primary_key: 'objectId',
  columns: Object.entries(columns).map(([colName, { definition }]) => ({ colName, ...definition })),
  indexes: [{ columns: ['place', 'grade'], unique: false }],
};

const texts = ['', 'a', 'A', 'b', 'ä', 'z', '😀', '\ufffd', 'aa'];
const extremes: Readonly<Record<string, readonly bigint[]>> = {
  long: [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n, -(2n ** 32n), 2n ** 32n - 1n],
  decimal: [10n ** 18n - 1n, 1n - 10n ** 18n],
};

/** Few different values, so that groups have several rows; nulls, and the ends of what fits. */
export function randomSale(random: Random): Sale {
  return Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => [
      column,
      random.chance(0.15) ? null : cellOf(column, kind, random),
    ]),
  );
}

function cellOf(column: string, { name }: Kind, random: Random): Cell {
  switch (name) {
    case 'text':
      return random.pick(texts);
    case 'integer':
      return random.chance(0.1) ? random.pick([-(2 ** 31), 2 ** 31 - 1]) : random.between(-2, 3);
    case 'long':
    case 'decimal':
      if (column !== 'rate' && random.chance(0.25)) return random.pick(extremes[name] ?? []);
      return BigInt(random.between(-9, 9));
    case 'double':
      return random.pick([0, -1.5, 0.1, 1e300, -5e-324]);
    case 'bool':
      return random.chance(0.5);
    case 'datetime':
      return Date.UTC(2026, random.below(3), 1) - (random.chance(0.1) ? 63_000_000_000_000 : 0);
  }
}

/** The value in a typed answer or in an added record. */
export function jsonOf(cell: Cell, { name, scale = 0 }: Kind): unknown {
  if (cell === null || name === 'text' || name === 'bool' || name === 'integer' || name === 'double') return cell;
  if (name === 'datetime') return new Date(cell as number).toISOString().replace('Z', '+00:00');
  const digits = String(cell)
    .replace('-', '')
    .padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return `${(cell as bigint) < 0n ? '-' : ''}${text}`;
}

/** The record to add, with numbers as text, because JSON might not hold them exactly. */
export function recordOf(sale: Sale): Record<string, unknown> {
  const sent = ([column, cell]: [string, Cell]) => [
    column,
    cell === null ? null : String(jsonOf(cell, columns[column]!)),
  ];
  return Object.fromEntries(Object.entries(sale).map(sent));
}

/** Nulls first; texts by code point. */
export function compare(one: Cell, other: Cell): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
  return one < other ? -1 : Number(one > other);
}

/** A value of a row or of a group, as written in a query. */
interface Term<Of> {
  readonly source: string;
  readonly kind: Kind;
  of(from: Of): Cell;
}

type RowTerm = Term<Sale>;
type GroupTerm = Term<readonly Sale[]>;

const rowTerms: readonly RowTerm[] = [
  ...Object.entries(columns).map(([column, kind]) => ({
    source: `#s.${column}`,
    kind,
    of: (sale: Sale) => sale[column] as Cell,
  })),
  {
    source: 'LENGTH(#s.note)',
    kind: { name: 'integer' },
    of: ({ note }) => (typeof note === 'string' ? [...note].length : null),
  },
  {
    source: 'LOWER(#s.place)',
    kind: { name: 'text' },
    of: ({ place }) => (typeof place === 'string' ? place.toLowerCase() : null),
  },
  {
    source: '#s.grade * 1000000007 - 1',
    kind: { name: 'long' },
    of: ({ grade }) => (typeof grade === 'number' ? BigInt(grade) * 1_000_000_007n - 1n : null),
  },
];

const isSame = (one: Cell, other: Cell) => one !== null && one === other;

/**
 * Values that depend on all rows: whether another row of the same place has a greater value, and whether the note is a
 * place.
 */
function subQueryTerms(sales: readonly Sale[]): readonly RowTerm[] {
  const places = sales.map(({ place }) => place as Cell);
  const isPlace = 'IN (SELECT #o.place FROM Sale o)';
  return [
    {
      source: `CASE WHEN EXISTS (SELECT 1 FROM Sale o WHERE #o.place = #s.place AND #o.grade > #s.grade) THEN 'more' ELSE 'most' END`,
      kind: { name: 'text' },
      of: ({ place = null, grade = null }) =>
        sales.some((other) => isSame(other.place as Cell, place) && grade !== null && (other.grade ?? grade) > grade)
          ? 'more'
          : 'most',
    },
    {
      source: `CASE WHEN #s.note ${isPlace} THEN 1 WHEN #s.note NOT ${isPlace} THEN 0 END`,
      kind: { name: 'long' },
      of: ({ note = null }) => {
        if (places.some((place) => isSame(place, note))) return 1n;
        return places.includes(null) || note === null ? null : 0n;
      },
    },
  ];
}

export const rowTermsOf = (sales: readonly Sale[]) => [...rowTerms, ...subQueryTerms(sales)];

const isExact = ({ kind }: RowTerm) => ['integer', 'long', 'decimal'].includes(kind.name);

function valuesOf({ of }: RowTerm, sales: readonly Sale[]): Exclude<Cell, null>[] {
  return sales.map(of).filter((cell) => cell !== null);
}

function aggregate(terms: readonly RowTerm[], random: Random): GroupTerm {
  const term = random.pick(terms);
  const exact = random.pick(terms.filter(isExact));
  const { scale = 0 } = exact.kind;
  const wide = (digits: number): Kind => ({ name: 'decimal', scale: scale + digits });
  const count: Kind = { name: 'integer' };
  const extreme = (name: string, sign: number): GroupTerm => ({
    source: `${name}(${term.source})`,
    kind: term.kind,
    of: (sales) =>
      valuesOf(term, sales).reduce<Cell>(
        (best, cell) => (best === null || sign * compare(cell, best) > 0 ? cell : best),
        null,
      ),
  });
  return random.weighted<GroupTerm>(
    [1, () => ({ source: 'COUNT(*)', kind: count, of: (sales) => sales.length })],
    [1, () => ({ source: `COUNT(${term.source})`, kind: count, of: (sales) => valuesOf(term, sales).length })],
    [
      1,
      () => ({
        source: `COUNT(DISTINCT ${term.source})`,
        kind: count,
        of: (sales) => new Set(valuesOf(term, sales)).size,
      }),
    ],
    [3, () => ({ source: `SUM(${exact.source})`, kind: wide(0), of: (sales) => sumOf(valuesOf(exact, sales)) })],
    [3, () => ({ source: `AVG(${exact.source})`, kind: wide(6), of: (sales) => averageOf(valuesOf(exact, sales)) })],
    [1, () => extreme('MIN', -1)],
    [1, () => extreme('MAX', 1)],
  );
}

function sumOf(cells: readonly Cell[]): bigint | null {
  return cells.length === 0 ? null : cells.reduce((sum: bigint, cell) => sum + BigInt(cell as bigint), 0n);
}

/** The average with six further digits, rounded half away from zero. */
function averageOf(cells: readonly Cell[]): bigint | null {
  const sum = sumOf(cells);
  if (sum === null) return null;
  const [size, count] = [(sum < 0n ? -sum : sum) * 1_000_000n, BigInt(cells.length)];
  const rounded = (2n * size + count) / (2n * count);
  return sum < 0n ? -rounded : rounded;
}

export interface Question {
  readonly body: { readonly from: { readonly phyName: string; readonly alias: string } } & Record<string, unknown>;
  /** The maximum number of pages. */
  readonly pages: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** A random query: conditions on rows, conditions and order of groups, and its answer. */
export function randomQuestion(sales: readonly Sale[], random: Random): Question {
  const terms = rowTermsOf(sales);
  const chosen = random.pick([...choices(sales, random.between(-1, 2)), null]);
  const rows = chosen === null ? sales : sales.filter(chosen.has);

  const keys = random.some(terms, random.weighted([1, () => 0], [3, () => 1], [3, () => 2], [1, () => 3]));
  const isDistinct = keys.length > 0 && random.chance(0.15);
  const aggregates = isDistinct
    ? []
    : random.times(random.between(keys.length === 0 ? 1 : 0, 3), () => aggregate(terms, random));
  const all: readonly GroupTerm[] = [
    ...keys.map(({ source, kind, of }) => ({ source, kind, of: ([first]: readonly Sale[]) => of(first as Sale) })),
    ...aggregates,
  ];
  const named = all.map((term, index) => ({ name: `v${index}`, term }));
  const written = ({ name, term }: (typeof named)[number]) => (random.chance(0.5) ? name : term.source);
  const groups = [...groupsOf(rows, keys).values()];

  const having = isDistinct || random.chance(0.6) ? null : condition(random.pick(named), groups, random);
  const sorted = random.some(named, random.below(3)).map((one) => ({ one, descending: random.chance(0.5) }));
  const rest = named.slice(0, keys.length).filter((one) => !sorted.some((key) => key.one === one));
  const order = [...sorted, ...rest.map((one) => ({ one, descending: sorted.at(-1)?.descending === true }))];
  const found = groups.filter((group) => having === null || having.of(group));
  found.sort((left, right) => {
    const signs = order.map(({ one: { term }, descending }) => {
      const sign = compare(term.of(left), term.of(right));
      return descending ? -sign : sign;
    });
    return signs.find((sign) => sign !== 0) ?? 0;
  });

  const isPaged = random.chance(0.4);
  const limit = random.between(1, 4);
  return {
    body: {
      from: { phyName: salesTable.name, alias: 's' },
      ...(chosen !== null && { where: { expression: chosen.expression } }),
      select: named.map(({ name, term }) => ({ name, expression: { source: term.source } })),
      ...(keys.length > 0 && !isDistinct && { groupBy: named.slice(0, keys.length).map(written) }),
      ...(isDistinct && { distinct: true }),
      ...(having !== null && { having: { expression: having.expression } }),
      ...(sorted.length > 0 && {
        orderBy: sorted.map(({ one, descending }) => ({ column: written(one), type: descending ? 'DESC' : 'ASC' })),
      }),
      ...(isPaged && { range: { limit }, after: '' }),
    },
    pages: isPaged ? sales.length : 1,
    rows: found.map((group) =>
      Object.fromEntries(named.map(({ name, term }) => [name, jsonOf(term.of(group), term.kind)])),
    ),
  };
}

/** Conditions on rows. */
function choices(sales: readonly Sale[], least: number) {
  const isGreat = ({ grade }: Sale) => grade !== null && compare(grade as Cell, least) >= 0;
  const notes = sales.filter(isGreat).map(({ note }) => note as Cell);
  const great = { source: '#s.grade >= ?', params: [String(least)] };
  const among = 'IN (SELECT #o.note FROM Sale o WHERE #o.grade >= ?)';
  const isNote = ({ place }: Sale) => notes.some((note) => isSame(note, place as Cell));
  return [
    { expression: great, has: isGreat },
    { expression: { ...great, source: `#s.place ${among}` }, has: isNote },
    {
      expression: { ...great, source: `#s.place NOT ${among}` },
      has: (sale: Sale) => notes.length === 0 || (sale.place !== null && !notes.includes(null) && !isNote(sale)),
    },
  ];
}

/** Without keys, one group, even without rows. */
function groupsOf(rows: readonly Sale[], keys: readonly RowTerm[]): Map<string, Sale[]> {
  const groups = new Map<string, Sale[]>(keys.length === 0 ? [['', []]] : []);
  for (const row of rows) {
    const key = keys.map(({ of }) => `${typeof of(row)} ${of(row)}`).join('\n');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** A comparison of a group's value with that of some group, or a test for null. */
function condition(
  { name, term }: { name: string; term: GroupTerm },
  groups: readonly (readonly Sale[])[],
  random: Random,
) {
  const source = random.chance(0.5) ? name : term.source;
  const value = groups.length === 0 ? null : term.of(random.pick(groups));
  if (value === null || random.chance(0.1)) {
    const isNull = (group: readonly Sale[]) => term.of(group) === null;
    return { expression: { source: `${source} IS NULL`, params: [] }, of: isNull };
  }
  const [operator, fits] = random.pick([
    ['=', (sign: number) => sign === 0],
    ['<>', (sign: number) => sign !== 0],
    ['<', (sign: number) => sign < 0],
    ['>=', (sign: number) => sign >= 0],
  ] as const);
  return {
    expression: { source: `${source} ${operator} ?`, params: [String(jsonOf(value, term.kind))] },
    of(group: readonly Sale[]) {
      const cell = term.of(group);
      return cell !== null && fits(compare(cell, value));
    },
  };
}
