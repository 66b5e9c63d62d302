/**
 * Random conditions with their meaning: each piece has its source, its parameters and its value for a row, computed in
 * plain JavaScript. Null means unknown.
 */
import fc, { type Arbitrary } from 'fast-check';
import { foldLower, foldUpper } from '../../src/schema/fold.ts';
import { compareCodePoints } from '../../src/schema/text.ts';
import { types } from './definitions.ts';

export interface Row {
  readonly objectId: string;
  readonly name: string | null;
  readonly note: string | null;
  readonly size: number | null;
  readonly big: bigint | null;
  /** Unscaled, scale 2 and 3. */
  readonly price: bigint | null;
  readonly fine: bigint | null;
  readonly ratio: number | null;
  readonly open: boolean | null;
  readonly at: number | null;
}

export const rowColumns = {
  name: types.varchar(20),
  note: types.text,
  size: types.integer,
  big: types.long,
  price: types.decimal(10, 2),
  fine: types.decimal(12, 3),
  ratio: types.double,
  open: types.bool,
  at: types.datetime,
} as const;

const longMax = 2n ** 63n - 1n;
const words = [
  ...[
    '',
    'a',
    'A',
    'b',
    'ab',
    ' a ',
    'ä',
    'Ä',
    'ß',
    'ss',
    '😀',
    '\uffff',
    'a%',
    'a_b',
    "it's",
    'É',
    '\\',
    'K',
    'ſ',
    'İ',
  ],
  ...['\t ', '\u00a0a', 'e\u0301', '\u{10ffff}', 'Ꭰ', '\u{10400}', 'ΑΣ', '"{,}"', '\u0001', 'NULL'],
];
const sizes = [-2_147_483_648, -1, 0, 1, 2, 3, 1_000, 2_147_483_647];
const bigs = [-(2n ** 63n), -1n, 0n, 1n, 2n, 3n, 2n ** 53n, 2n ** 53n + 1n, longMax];
const prices = [-150n, 0n, 100n, 150n, 200n, 300n, 9_999_999_999n];
const fines = [-1_500n, 0n, 1_000n, 1_500n, 2_001n, 3_000n];
const ratios = [
  ...[-1.5, 0, 0.1, 1, 1.5, 2, 3, 1e21, 2_147_483_647, 0.1 + 0.2, 1e-7, 123_456_789_012_345_680_000],
  ...[Number.MIN_VALUE, -Number.MIN_VALUE, 2.2250738585072014e-308, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53 + 2],
];
const times = [
  ...[-1, 0, 1_390_463_076_516, 1_390_463_076_517, 1_390_463_076_500, 1_390_463_076_000],
  ...[-62_135_596_800_000, 253_402_300_799_999, -62_135_596_799_999, -2_208_988_800_001],
];

/** Rows that combine the values in many ways, including nulls; the same on every run. */
export const rows: readonly Row[] = Array.from({ length: 60 }, (_, index) => {
  const pick = <T>(values: readonly T[], stride: number): T | null => {
    const at = (index * stride + Math.floor(index / 7)) % (values.length + 1);
    return at === values.length ? null : values[at]!;
  };
  return {
    objectId: `r${String(index).padStart(2, '0')}`,
    name: pick(words, 1),
    note: pick(words, 5),
    size: pick(sizes, 3),
    big: pick(bigs, 7),
    price: pick(prices, 3),
    fine: pick(fines, 2),
    ratio: pick(ratios, 3),
    open: pick([true, false], 1),
    at: pick(times, 2),
  };
});

export interface Piece<T> {
  readonly source: string;
  readonly params: readonly (string | null)[];
  of(row: Row): T | null;
}

export type Condition = Piece<boolean>;

const column = <T>(name: string, of: (row: Row) => T | null): Piece<T> => ({ source: `#t.${name}`, params: [], of });
const literal = <T>(source: string, value: T | null): Piece<T> => ({ source, params: [], of: () => value });
const parameter = <T>(text: string | null, value: T | null): Piece<T> => ({
  source: '?',
  params: [text],
  of: () => value,
});

function joined<T, R>(
  build: (...sources: string[]) => string,
  pieces: readonly Piece<T>[],
  of: Piece<R>['of'],
): Piece<R> {
  return { source: build(...pieces.map((piece) => piece.source)), params: pieces.flatMap((piece) => piece.params), of };
}

/** A null operand makes null. */
function strict<T, R>(
  build: (...sources: string[]) => string,
  pieces: readonly Piece<T>[],
  of: (...values: T[]) => R | null,
) {
  return joined(build, pieces, (row): R | null => {
    const values = pieces.map((piece) => piece.of(row));
    return values.some((value) => value === null) ? null : of(...(values as T[]));
  });
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const textPieces: Arbitrary<Piece<string>> = fc.letrec<{ text: Piece<string> }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(
      column('name', (row) => row.name),
      column('note', (row) => row.note),
    ),
    fc.constantFrom(...words).map((word) => literal(quoted(word), word)),
    fc.constantFrom(...words).map((word) => parameter(word, word)),
    fc.constant(parameter<string>(null, null)),
    tie('text').map((piece) => strict((text) => `LOWER(${text})`, [piece], foldLower)),
    tie('text').map((piece) => strict((text) => `UPPER(${text})`, [piece], foldUpper)),
    tie('text').map((piece) =>
      strict(
        (text) => `TRIM(${text})`,
        [piece],
        (value) => value.replace(/^ +| +$/g, ''),
      ),
    ),
    fc.array(tie('text'), { minLength: 1, maxLength: 3 }).map(coalesce),
  ),
})).text;

function coalesce<T>(pieces: readonly Piece<T>[]): Piece<T> {
  const of = (row: Row) => pieces.map((piece) => piece.of(row)).find((value) => value !== null) ?? null;
  return joined((...list) => `COALESCE(${list.join(', ')})`, pieces, of);
}

const operations = {
  '+': (left: bigint, right: bigint) => left + right,
  '-': (left: bigint, right: bigint) => left - right,
  '*': (left: bigint, right: bigint) => left * right,
};

/** Integers and longs; every number literal is where a long is expected. */
const longPieces: Arbitrary<Piece<bigint>> = fc.letrec<{ long: Piece<bigint> }>((tie) => ({
  long: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      column('big', (row) => row.big),
      column('size', (row) => (row.size === null ? null : BigInt(row.size))),
      strict(
        (text) => `LENGTH(${text})`,
        [column('name', (row) => row.name)],
        (name) => BigInt([...name].length),
      ),
    ),
    fc
      .tuple(fc.constantFrom<keyof typeof operations>('+', '-', '*'), tie('long'), tie('long'))
      .map(([operator, ...pair]) =>
        strict(
          (left, right) => `(${left} ${operator} ${right})`,
          pair,
          (left, right) => {
            const result = operations[operator](left, right);
            return BigInt.asIntN(64, result) === result ? result : null;
          },
        ),
      ),
    fc.constantFrom(...bigs).map((value) => parameter(`${value}`, value)),
    fc.constantFrom(...bigs.slice(1)).map((value) => literal(`${value}`, value)),
  ),
})).long;

const scaled = (value: bigint | number | null, factor: bigint) => (value === null ? null : BigInt(value) * factor);

/** Decimals of two scales and integers, as thousandths. */
const decimalPieces: Arbitrary<Piece<bigint>> = fc.constantFrom(
  column('price', (row) => scaled(row.price, 10n)),
  column('fine', (row) => row.fine),
  column('size', (row) => scaled(row.size, 1_000n)),
  coalesce([column('price', (row) => scaled(row.price, 10n)), column('size', (row) => scaled(row.size, 1_000n))]),
);

/** Values that fit both a decimal(10,2) and an integer. */
const wholePieces = fc.constantFrom(
  literal('1', 1_000n),
  literal('2.00', 2_000n),
  parameter('-1.0', -1_000n),
  parameter<bigint>(null, null),
);

const doublePieces: Arbitrary<Piece<number>> = fc.constantFrom(
  column('ratio', (row) => row.ratio),
  column('size', (row) => row.size),
  coalesce([column('size', (row) => row.size), column('ratio', (row) => row.ratio)]),
);

const boolPieces: Arbitrary<Piece<boolean>> = fc.constantFrom(
  column('open', (row) => row.open),
  literal('TRUE', true),
  literal('FALSE', false),
  parameter('true', true),
  parameter('0', false),
  parameter<boolean>(null, null),
  coalesce([column('open', (row) => row.open), literal('FALSE', false)]),
);

const timePieces: Arbitrary<Piece<number>> = fc.constantFrom(
  column('at', (row) => row.at),
  parameter('2014-01-23T14:44:36.516+07:00', 1_390_463_076_516),
  literal("'1970-01-01'", 0),
  parameter('1390463076517', 1_390_463_076_517),
);

const isTrue: Record<string, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const not = (value: boolean | null) => (value === null ? null : !value);
const and = (values: readonly (boolean | null)[]) =>
  values.includes(false) ? false : values.includes(null) ? null : true;
const or = (values: readonly (boolean | null)[]) =>
  values.includes(true) ? true : values.includes(null) ? null : false;

type Compare<T> = (left: T, right: T) => number;
const natural = <T>(left: T, right: T) => (left < right ? -1 : left > right ? 1 : 0);

/** Every way of comparing pieces of one kind; the others take the type of the `typed` ones. */
function comparisons<T>(
  typed: Arbitrary<Piece<T>>,
  others: Arbitrary<Piece<T>>,
  compare: Compare<T>,
): Arbitrary<Condition> {
  const compared = (left: Piece<T>, right: Piece<T>, row: Row, operator: string): boolean | null => {
    const [a, b] = [left.of(row), right.of(row)];
    return a === null || b === null ? null : isTrue[operator]!(compare(a, b));
  };
  const plain = fc
    .tuple(fc.constantFrom(...Object.keys(isTrue)), typed, others, fc.boolean())
    .map(([operator, first, second, swapped]): Condition => {
      const [left, right] = swapped ? [second, first] : [first, second];
      return joined(
        (a, b) => `${a} ${operator} ${b}`,
        [left, right],
        (row) => compared(left, right, row, operator),
      );
    });
  const between = fc.tuple(typed, others, others, fc.boolean()).map(([operand, low, high, negated]): Condition => {
    const of = (row: Row) => and([compared(operand, low, row, '>='), compared(operand, high, row, '<=')]);
    const word = negated ? 'NOT BETWEEN' : 'BETWEEN';
    const build = (a: string, b: string, c: string) => `${a} ${word} ${b} AND ${c}`;
    return joined(build, [operand, low, high], (row) => (negated ? not(of(row)) : of(row)));
  });
  const inList = fc
    .tuple(typed, fc.array(others, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([operand, list, negated]): Condition => {
      const of = (row: Row) => or(list.map((member) => compared(operand, member, row, '=')));
      const build = (first: string, ...rest: string[]) => `${first} ${negated ? 'NOT IN' : 'IN'} (${rest.join(', ')})`;
      return joined(build, [operand, ...list], (row) => (negated ? not(of(row)) : of(row)));
    });
  const isNull = fc.tuple(typed, fc.boolean()).map(([operand, negated]): Condition => {
    const of = (row: Row) => (operand.of(row) === null) !== negated;
    return joined((a) => `${a} IS ${negated ? 'NOT ' : ''}NULL`, [operand], of);
  });
  return fc.oneof(plain, between, inList, isNull);
}

const predicates = fc.oneof(
  comparisons(textPieces, textPieces, compareCodePoints),
  comparisons(
    longPieces.filter((piece) => piece.source.includes('#t.big') || piece.source.startsWith('(')),
    longPieces,
    natural,
  ),
  comparisons(decimalPieces, fc.oneof(decimalPieces, wholePieces), natural),
  comparisons(doublePieces, doublePieces, natural),
  comparisons(
    fc.constant(column('ratio', (row) => row.ratio)),
    fc.constantFrom(...ratios).map((value) => parameter(`${value}`, value)),
    natural,
  ),
  comparisons(boolPieces, boolPieces, (left, right) => Number(left) - Number(right)),
  comparisons(fc.constant(column('at', (row) => row.at)), timePieces, natural),
  boolPieces,
);

/** A condition with several levels of AND, OR and NOT. */
export const conditions: Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true, depthSize: 'small' },
    predicates,
    tie('condition').map((piece) =>
      joined(
        (a) => `NOT (${a})`,
        [piece],
        (row) => not(piece.of(row)),
      ),
    ),
    fc
      .tuple(fc.constantFrom('AND', 'OR'), fc.array(tie('condition'), { minLength: 2, maxLength: 4 }))
      .map(([operator, pieces]) => {
        const of = (row: Row) => (operator === 'AND' ? and : or)(pieces.map((piece) => piece.of(row)));
        return joined((...list) => list.map((one) => `(${one})`).join(` ${operator} `), pieces, of);
      }),
  ),
})).condition;
