/** Operators and functions of values, each against its meaning in plain JavaScript, on the engine of the run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalText } from '../../src/schema/numbers.ts';
import { formatInstant } from '../../src/schema/time.ts';
import { holds } from './seeded.ts';
import { now, openWorld, table, types, zone } from './world.ts';

const world = await openWorld(
  table('T', {
    name: types.text,
    short: types.varchar(20),
    size: types.integer,
    big: types.long,
    price: types.decimal(10, 2),
    fine: types.decimal(12, 3),
    ratio: types.double,
    at: types.datetime,
    extra: types.json,
  }),
);
const extra = {
  a: { b: 'text', 'other name': 'named', c: 1.5 },
  list: ['zero', 1, { x: 'inner' }],
  big: 9007199254740991,
  tiny: 5e-324,
  none: null,
  yes: true,
  ä: 'Ä',
};
await world.insert('T', {
  objectId: 'r1',
  name: 'Größe',
  short: 'Größe',
  size: 7,
  big: '-9223372036854775808',
  price: '-12.35',
  fine: '7.125',
  ratio: '-1.5',
  at: '2024-03-01T00:30:00.000+07:00',
  extra,
});

async function truth(source: string, params: readonly unknown[] = []): Promise<boolean | null> {
  const form = (text: string) => ({
    from: { phyName: 'T', alias: 't' },
    where: { expression: { source: text, params } },
  });
  if ((await world.query(form(source))).t!.length === 1) return true;
  return (await world.query(form(`NOT (${source})`))).t!.length === 1 ? false : null;
}

const isTrue: readonly (string | readonly [string, readonly unknown[]])[] = [
  "'a' || 'b' || 'c' = 'abc'",
  "('a' || NULL) IS NULL",
  "LOWER('Ä' || #t.name) = 'ägröße'",
  "UPPER(#t.name || 'x') LIKE 'GRÖßEX'",
  ["? || #t.name LIKE '%>Gr%'", ['>']],
  '7 / 2 = 3.5',
  '-7 / 2 = -3.5',
  '1 / 3 = 0.333333',
  '2 / 3 = 0.666667',
  '-2 / 3 = -0.666667',
  '#t.size / 0 IS NULL',
  '#t.price / 2 = -6.175',
  '#t.price / #t.fine = -1.733333',
  '#t.size / 2 / 2 / 2 = 0.875',
  '#t.big / -1 IS NULL',
  '#t.big / 1 IS NULL',
  '1 / #t.big = 0',
  '7 % 3 = 1',
  '-7 % 3 = -1',
  '7 % -3 = 1',
  '7 % 0 IS NULL',
  '#t.big % -1 = 0',
  '#t.fine % 2 = 1.125',
  '#t.price + 1 = -11.35',
  '#t.price + #t.fine = -5.225',
  '#t.price * 2 = -24.70',
  '#t.price * #t.fine = -87.99375',
  '#t.price - 0.005 = -12.355',
  ['#t.price + ? = 0', ['12.35']],
  ['#t.price * ? = -12.35', ['1']],
  '-#t.price = 12.35',
  '(#t.price * 100 + 1) * 2 = -2468',
  '#t.size * 1.5 = 10.5',
  'ROUND(#t.price) = -12',
  'ROUND(#t.price, 1) = -12.4',
  'ROUND(#t.fine, 2) = 7.13',
  'ROUND(0.5) = 1',
  'ROUND(-0.5) = -1',
  'ROUND(-0.49) = 0',
  'ROUND(#t.size) = 7',
  'ROUND(999.99, 1) = 1000.0',
  'ABS(#t.price) = 12.35',
  'ABS(-3) = 3',
  'ABS(#t.big) IS NULL',
  'ABS(#t.ratio) = 1.5',
  '(999999999999999999 * 1.5) IS NULL',
  '(99999999999999999.9 + 99999999999999999.9) IS NULL',
  "SUBSTR('héllo😀', 2, 3) = 'éll'",
  "SUBSTR('héllo😀', 6) = '😀'",
  "SUBSTR('abc', 9) = ''",
  "SUBSTR('abc', 1, 0) = ''",
  "SUBSTR('abc', 0) IS NULL",
  "SUBSTR('abc', 1, -1) IS NULL",
  "SUBSTR('abc', 2, 9223372036854775807) = 'bc'",
  "SUBSTR('abc', 9223372036854775807) = ''",
  ["UPPER(SUBSTR(#t.name, LENGTH(?), 2)) = 'RÖ'", ['ab']],
  'YEAR(#t.at) = 2024 AND MONTH(#t.at) = 2 AND DAY(#t.at) = 29',
  "DAY('2024-02-29T23:59:59.999') = 29",
  "YEAR('0001-01-01T00:00:00Z') = 1",
  "YEAR('9999-12-31T23:59:59.999Z') = 9999 AND DAY('9999-12-31T23:59:59.999Z') = 31",
  'YEAR(NULL) IS NULL',
  [`NOW() = '${new Date(now).toISOString()}'`, []],
  'YEAR(NOW()) = 2026 AND NOW() > #t.at',
  "CASE WHEN #t.size > 5 THEN 'large' WHEN #t.size > 3 THEN 'middle' ELSE 'small' END = 'large'",
  'CASE WHEN NULL THEN 1 END IS NULL',
  "UPPER(CASE WHEN #t.name LIKE 'g%' THEN 'x' WHEN #t.name ILIKE 'g%' THEN #t.name END) = 'GRÖßE'",
  'CASE WHEN TRUE THEN #t.price ELSE #t.fine END = -12.35',
  ['CASE WHEN ? THEN ? ELSE #t.size END + 1 = 5', ['true', '4']],
  "#t.name ILIKE 'GRÖ%' AND #t.name NOT ILIKE '%X%'",
  ["#t.name ILIKE ? ESCAPE '!'", ['%Ö!ße']],
  "JSON_TEXT(#t.extra, '$.a.b') = 'text'",
  `JSON_TEXT(#t.extra, '$.a."other name"') = 'named'`,
  "JSON_TEXT(#t.extra, '$.list[0]') = 'zero' AND JSON_NUMBER(#t.extra, '$.list[1]') = 1",
  "JSON_TEXT(#t.extra, '$.list[2].x') LIKE 'in%'",
  `LOWER(JSON_TEXT(#t.extra, '$."ä"')) = 'ä'`,
  "JSON_NUMBER(#t.extra, '$.a.c') = 1.5",
  "JSON_NUMBER(#t.extra, '$.big') = 9007199254740991 AND JSON_NUMBER(#t.extra, '$.tiny') = 5e-324",
  ...['$.a', '$.none', '$.yes', '$.missing', '$.list', '$.list[9]', '$.a[0]', '$.list.x', '$.a.b.c', '$.a.c'].map(
    (path) => `JSON_TEXT(#t.extra, '${path}') IS NULL`,
  ),
  ...['$.a', '$.none', '$.yes', '$.a.b', '$.list[0]', '$[0]'].map((path) => `JSON_NUMBER(#t.extra, '${path}') IS NULL`),
];

test('operators and functions of values', async (context) => {
  for (const one of isTrue) {
    const [source, params] = typeof one === 'string' ? [one, []] : one;
    await context.test(source, async () => assert.equal(await truth(source, params), true));
  }
});

const longMax = 2n ** 63n - 1n;
const long = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 2n, longMax, -longMax - 1n, 10n ** 12n, 9_223_372_036_854n),
  fc.bigInt({ min: -1_000n, max: 1_000n }),
  fc.bigInt({ min: -longMax - 1n, max: longMax }),
);
/** An unscaled decimal, and the number of its digits after the point. */
const decimal = fc
  .tuple(
    fc.oneof(fc.bigInt({ min: -99_999n, max: 99_999n }), fc.bigInt({ min: -(10n ** 7n), max: 10n ** 7n })),
    fc.nat(4),
  )
  .map(([unscaled, scale]) => ({ unscaled, scale }));

const absolute = (value: bigint) => (value < 0n ? -value : value);
const inLong = (value: bigint) => value >= -longMax - 1n && value <= longMax;
const power = (digits: number) => 10n ** BigInt(digits);

/** Half away from zero. */
function divided(dividend: bigint, divisor: bigint): bigint {
  const [whole, rest] = [dividend / divisor, dividend % divisor];
  if (2n * absolute(rest) < absolute(divisor)) return whole;
  return whole + (dividend < 0n === divisor < 0n ? 1n : -1n);
}

test('a quotient has six digits after the point, or is null', async (context) => {
  const property = fc.asyncProperty(fc.array(fc.tuple(long, long), { minLength: 20, maxLength: 20 }), async (pairs) => {
    const each = pairs.map(([left, right]) => {
      const isNull =
        right === 0n || !inLong((left % right) * power(6)) || absolute(divided(left * power(6), right)) >= power(18);
      return isNull ? `(? / ?) IS NULL` : `? / ? = ${decimalText(`${divided(left * power(6), right)}`, 6)}`;
    });
    const params = pairs.flat().map(String);
    assert.equal(await truth(each.join(' AND '), params), true, `${each.join(' AND ')} ${params}`);
  });
  await holds(context, property, 40);
});

test('sums, products and remainders of decimals are exact', async (context) => {
  const text = ({ unscaled, scale }: { unscaled: bigint; scale: number }) =>
    scale === 0 ? `${unscaled}.0` : decimalText(`${unscaled}`, scale);
  const property = fc.asyncProperty(decimal, decimal, async (left, right) => {
    const scale = Math.max(left.scale, right.scale, 1);
    const [a, b] = [left, right].map((one) => one.unscaled * power(scale - one.scale)) as [bigint, bigint];
    const [l, r] = [text(left), text(right)];
    const is = (source: string, unscaled: bigint) => `${source} = ${decimalText(`${unscaled}`, scale)}`;
    const all = [
      is(`${l} + ${r}`, a + b),
      is(`${l} - ${r}`, a - b),
      b === 0n ? `(${l} % ${r}) IS NULL` : is(`${l} % ${r}`, a % b),
      `${l} * ${r} = ${decimalText(`${a * b}`, 2 * scale)}`,
      is(`ABS(${l})`, absolute(a)),
      `ROUND(${l}) = ${divided(a, power(scale))}`,
    ];
    for (const source of all) assert.equal(await truth(source), true, source);
  });
  await holds(context, property, 60);
});

test('year, month and day are those of the wire text', async (context) => {
  const instant = fc.oneof(
    fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(2099, 11, 31) }).filter((ms) => ms >= -62_135_596_800_000),
    fc
      .tuple(
        fc.integer({ min: 1900, max: 2099 }),
        fc.nat(11),
        fc.integer({ min: 1, max: 28 }),
        fc.integer({ min: -2, max: 1 }),
      )
      .map(([year, month, day, ms]) => Date.UTC(year, month, day) + ms),
  );
  const property = fc.asyncProperty(instant, async (ms) => {
    const [year, month, day] = formatInstant(ms, zone).slice(0, 10).split('-').map(Number);
    const source = `YEAR(?) = ${year} AND MONTH(?) = ${month} AND DAY(?) = ${day}`;
    assert.equal(await truth(source, [String(ms), String(ms), String(ms)]), true, `${source} ${ms}`);
  });
  await holds(context, property, 100);
});

test('expressions that are too long or too deep as SQL are refused alike on both engines', async () => {
  const deep = (levels: number, wrap: (inner: string) => string) => {
    let source = '#t.size';
    for (let level = 0; level < levels; level++) source = wrap(source);
    return `${source} = 1`;
  };
  const half = (inner: string) => `(${inner} / 2)`;
  const rounded = (inner: string) => `ROUND(${inner} * 1.5)`;
  await truth(deep(46, half));
  await truth(deep(55, rounded));
  await assert.rejects(truth(deep(47, half)), /941 nested levels of operators and functions; at most 940/);
  await assert.rejects(truth(deep(56, rounded)), /942 nested levels of operators/);
  const divisions = (count: number) => Array.from({ length: count }, () => '#t.size / 1 = 7').join(' AND ');
  assert.equal(await truth(divisions(128)), true);
  await assert.rejects(truth(divisions(129)), /129 divisions \(YEAR, MONTH and DAY count as 8 each\); at most 128/);
  const years = Array.from({ length: 17 }, () => 'YEAR(#t.at) = 2024').join(' AND ');
  await assert.rejects(truth(years), /136 divisions/);
});

test('the text computed for a row is bounded', async () => {
  const cut = (count: number, of = '#t.name') =>
    Array.from({ length: count }, () => `SUBSTR(TRIM(${of}), 1) <> 'x'`).join(' AND ');
  assert.equal(await truth(cut(20)), true);
  const refusal =
    /22020096 bytes of text that it may join, cut or repeat in a row; at most 20971520 \(functionBytesMax\)/;
  await assert.rejects(truth(cut(21)), refusal);
  const put = "(TRIM(#t.name) || 'x') || LOWER(#t.name) = 'x' OR ";
  await assert.rejects(truth(`${put.repeat(11)} 1 = 1`), /23068672 bytes/);
  assert.equal(await truth(`${"#t.name || 'x' = 'x' OR ".repeat(100)} 1 = 1`), true);
  assert.equal(await truth(cut(100, '#t.short')), true);
});
