/**
 * Random values of every column type, as clients send them: nulls, every plane of Unicode, and the limits of each type.
 */
import type { Random } from '../machine/random.ts';

export type Kind = 'text' | 'integer' | 'long' | 'double' | 'decimal' | 'bool' | 'datetime' | 'json';

/** The properties of a column's type that determine its values. */
export interface ValueType {
  readonly kind: Kind;
  /** Maximum length of a varchar, in characters. */
  readonly length?: number;
  readonly precision?: number;
  readonly scale?: number;
  /** Valid values that most records have in the column, so that some are equal and queries find them; may be empty. */
  readonly pool?: readonly unknown[];
}

/** The words of the lines, separated by blanks. */
export const among = (...lines: readonly string[]) => lines.flatMap((line) => line.split(' '));

const words = ['', ' a ', ...among("a A ab aB B b z % _ a% a_b * [a] ? \\ ! it's")];
/** Letters with special case, width or order, and look-alikes. */
const letters = among('ß ẞ ä Ä a\u0308 İ i ı I Σ ς σ ǆ ǅ Ǆ é É ÿ Ÿ µ Μ Ω Ω K K ſ s 𐐀 𐐨 Ꭰ ꭰ ა Ა');
const signs = among(
  '\u0001 \t \n \r \u001f \u007f \u0085 \u00a0 \u2028 \u3000 \ufeff \ufffd \uffff \ue000 \ud7ff 😀',
  '👨‍👩‍👧 \u{10ffff} \u{1f1e9} " \' ` $1 :a ~ "~". {} ; -- \u200b \u0301',
);

/** Groups of texts that differ in one respect, so that a fault in handling it shows. */
const themes: readonly (readonly string[])[] = [
  // Case.
  among('a A B ä Ä a\u0308 é É ß ẞ SS İ i ı I Σ σ ς ǆ ǅ 𐐀 𐐨 Äb äB'),
  // What patterns and their escapes are made of.
  among('% _ * ? [a] a aab a_b a*b a?b a\\b \\% ! \uffff \ufffd'),
  // Order by code point, by UTF-16, and in languages.
  among('\ufffd \uffff \ue000 😀 \u{10ffff} z e E é e\u0301 a-b ab _a'),
  // Blanks.
  ['', ' ', 'a', 'a ', ' a', '\t', '\u00a0', '\u3000a', 'a\n', 'a  b', 'a b', '\uffff'],
];
const sentences = [
  'fox',
  'Fox',
  'foxes',
  'fox box',
  'the box',
  'böx fox',
  'fo',
  '東京',
  '東京 fox',
  '京',
  'a-fox',
  '!',
];

/**
 * A few values of the type. For text, most of them are taken from `themes`, or from `sentences`.
 * @param hasWords whether they should be sentences
 */
export function poolOf(type: ValueType, hasWords: boolean, random: Random): readonly unknown[] {
  const size = type.kind === 'json' || type.kind === 'double' ? 7 : random.between(3, 6);
  const values = random.times(size, () => fittingValue({ ...type, pool: [] }, random));
  if (type.kind !== 'text') return values;
  const { length = Number.POSITIVE_INFINITY } = type;
  const telling = (hasWords ? [sentences] : random.some(themes, 2)).flatMap((theme) => {
    const fitting = theme.filter((text) => [...text].length <= length);
    return random.some(fitting, hasWords ? 7 : 5);
  });
  return [...values.slice(0, 1), ...telling, ...(random.chance(0.3) ? [''] : [])];
}

export function textOf(random: Random, lengthMax = 12): string {
  const text = random.weighted(
    [6, () => random.pick(words)],
    [4, () => random.pick(letters)],
    [2, () => random.pick(signs)],
    [5, () => random.times(random.between(1, 6), () => random.pick([...words, ...letters, ...signs])).join('')],
    [2, () => random.times(random.between(1, 8), () => anyCharacter(random)).join('')],
    [2, () => random.times(random.between(1, 4), () => random.pick(['a', 'b', 'A', 'ä'])).join('')],
  );
  return [...text].slice(0, lengthMax).join('');
}

/** A code point of any plane, except surrogates and NUL. */
function anyCharacter(random: Random): string {
  const code = random.weighted(
    [2, () => random.between(1, 0x7f)],
    [2, () => random.between(0x80, 0x7ff)],
    [2, () => random.between(0x800, 0xd7ff)],
    [1, () => random.between(0xe000, 0xffff)],
    [2, () => random.between(0x10000, 0x10ffff)],
  );
  return String.fromCodePoint(code);
}

/** A text too long to be stored within a row. */
export function longTextOf(random: Random): string {
  const piece = textOf(random) || 'x';
  return piece.repeat(Math.ceil(random.between(3_000, 60_000) / piece.length));
}

const integers = ['-2147483648', '-2147483647', '-1', '0', '1', '2', '3', '10', '100', '2147483646', '2147483647'];
const longs = among(
  '-9223372036854775808 -9223372036854775807 -9007199254740993 -1 0 1 2 3 4294967296',
  '123456789013 9007199254740992 9007199254740993 9223372036854775806 9223372036854775807',
);
const doubles = among(
  '-1.7976931348623157e308 -1e21 -1.5 -0 0 5e-324 2.2250738585072014e-308 1e-7 0.000001 0.1 0.2',
  '0.30000000000000004 1 1.5 2 3 100 2147483647 9007199254740991 9007199254740992',
  '123456789012345680 1e20 1e21 1e22 1e23 1.7976931348623157e308 4.35 0.1e-5 3.141592653589793',
);
const times = [
  1390463076517,
  ...among(
    '0001-01-01T00:00:00.000Z 0001-01-01T00:00:00.001Z 0099-12-31 1582-10-10 1883-11-18T12:00:00Z',
    '1969-12-31T23:59:59.999Z 1970-01-01 1970-01-01T00:00:00.001Z 2000-02-29T12:00:00.5+07:00',
    '2014-01-23T14:44:36.516+07:00 2016-12-31T23:59:59.999Z 2020-01-01T00:00:00.000Z',
    '2024-03-31T02:30:00+01:00 2038-01-19T03:14:08Z 9999-12-31T23:59:59.999Z 0 -1 1390463076516',
  ),
];
const jsons = [
  '" "',
  '{"ä":{"b c":"z"},"a":0.1}',
  ...among(
    '{"a":"x"} {"a":"X"} {"a":5.1} {"a":"5"} {"a":0.1} {"a":9007199254740992} {"a":["p",7.3]} {"b":{"c":"y"},"a":null}',
    '["A",{"b":2}] [3,{"b":"é"}] [{"a":"x"},{"a":2.7}] {"a":[{"b":1}]} {"a":true} {"a":"\\u00e9"} {"a":1,"a":"twice"}',
    '{} [] null true "a" [1,2.50,1E3,-0,0.1e-6] {"b":1,"a":[{"z":null,"":"😀"}],"a":2}',
    '"\\ud83d\\ude00" {"\\uffff":1,"\\ud83d\\ude00":2} [[[[[]]]]]',
  ),
];

/** Refused, because a JSON number can't hold them. */
const inexactJsons = ['1e400', '{"a":9007199254740993}'];

/** A value that fits the type, as JSON; never `null`. */
export function fittingValue(type: ValueType, random: Random): unknown {
  if (type.pool !== undefined && type.pool.length > 0 && random.chance(0.75)) return random.pick(type.pool);
  switch (type.kind) {
    case 'text':
      if (type.length === undefined && random.chance(0.02)) return longTextOf(random);
      return textOf(random, Math.min(type.length ?? 12, 12));
    case 'integer':
      return random.weighted<unknown>([3, () => random.pick(integers)], [3, () => random.between(-5, 12)]);
    case 'long':
      return random.weighted<unknown>(
        [1, () => random.pick([longs[0], longs.at(-1)])],
        [3, () => random.pick(longs)],
        [3, () => random.between(-5, 12)],
        [1, () => String(BigInt.asIntN(64, random.bits64()))],
      );
    case 'double':
      return random.weighted<unknown>(
        [3, () => random.pick(doubles)],
        [2, () => String(random.between(-5, 12))],
        [2, () => anyDouble(random)],
      );
    case 'decimal':
      return decimalOf(type, random);
    case 'bool':
      return random.pick<unknown>([true, false, 'true', 'FALSE', '1', 0]);
    case 'datetime':
      return random.weighted<unknown>(
        [3, () => random.pick(times)],
        [1, () => random.between(-62135596800, 253402300799) * 1000 + random.below(1000)],
      );
    case 'json':
      return random.weighted<unknown>(
        [8, () => random.pick(jsons)],
        [type.pool?.length === 0 ? 0 : 1, () => random.pick(inexactJsons)],
        [4, () => JSON.stringify(textOf(random))],
        [4, () => ({ [textOf(random)]: textOf(random), n: random.between(-5, 5) })],
      );
  }
}

/** Any finite number, from random bits. */
function anyDouble(random: Random): string {
  const view = new DataView(new ArrayBuffer(8));
  do view.setBigUint64(0, random.bits64());
  while (!Number.isFinite(view.getFloat64(0)));
  return String(view.getFloat64(0));
}

function decimalOf({ precision = 18, scale = 0 }: ValueType, random: Random): string {
  const digits = random.weighted(
    [1, () => 10n ** BigInt(precision) - 1n],
    [3, () => BigInt(random.below(Math.min(10 ** precision, 500)))],
    // Halves, for rounding.
    [
      3,
      () => (BigInt(2 * random.below(20) + 1) * 5n * 10n ** BigInt(random.below(scale + 1))) % 10n ** BigInt(precision),
    ],
    [1, () => BigInt.asUintN(64, random.bits64()) % 10n ** BigInt(random.between(1, precision))],
  );
  const text = digits.toString().padStart(scale + 1, '0');
  const sign = random.chance(0.35) ? '-' : '';
  return scale === 0 ? sign + text : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
