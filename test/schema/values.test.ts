/**
 * Values of every type: accepted ones and their stored form, refused ones, and that the wire text reads as the same
 * value.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseValue } from '../../src/schema/column-type.ts';
import type { ColumnType, StoredValue } from '../../src/schema/model.ts';
import { instantMax, instantMin, zoneOf } from '../../src/schema/time.ts';
import { ValueError } from '../../src/schema/values.ts';
import { wireText } from './wire-text.ts';

const rules = { zone: zoneOf('UTC'), valueBytesMax: 1024 };
const varchar5: ColumnType = { kind: 'varchar', length: 5 };
const text: ColumnType = { kind: 'text' };
const integer: ColumnType = { kind: 'integer' };
const long: ColumnType = { kind: 'long' };
const double: ColumnType = { kind: 'double' };
const money: ColumnType = { kind: 'decimal', precision: 18, scale: 2 };
const whole: ColumnType = { kind: 'decimal', precision: 5, scale: 0 };
const bool: ColumnType = { kind: 'bool' };
const datetime: ColumnType = { kind: 'datetime' };
const json: ColumnType = { kind: 'json' };
const everyType = [varchar5, text, integer, long, double, money, whole, bool, datetime, json];

function takes(
  type: ColumnType,
  cases: readonly (readonly [input: unknown, stored: StoredValue, wire: string])[],
): void {
  for (const [input, stored, wire] of cases) {
    const value = parseValue(type, input, rules);
    assert.ok(Object.is(value, stored), `${type.kind} ${JSON.stringify(input)}: ${String(value)}`);
    assert.equal(wireText(type, value, rules.zone), wire);
  }
}

function refuses(type: ColumnType, inputs: readonly unknown[], message = /./): void {
  for (const input of inputs) {
    assert.throws(
      () => parseValue(type, input, rules),
      (error) => {
        assert.ok(error instanceof ValueError, `${type.kind} ${JSON.stringify(input)}: ${String(error)}`);
        assert.match(error.message, /^["\w[{-].*\.$/s, 'a full sentence');
        assert.match(error.message, message);
        return true;
      },
      `${type.kind} ${JSON.stringify(input)} was taken`,
    );
  }
}

test('null stays null in every type', () => {
  for (const type of everyType) {
    assert.equal(parseValue(type, null, rules), null);
    assert.equal(wireText(type, null, rules.zone), null);
  }
});

test('every string with NUL or an unpaired surrogate is refused', () => {
  for (const type of everyType) refuses(type, ['\0', '1\0', '\ud83d', '"\udc00"'], /NUL|surrogate/);
  refuses(json, ['"\\u0000"', '{"\\ud800":1}', { a: ['\0'] }, { '\udfff': 1 }], /NUL|surrogate/);
});

test('no value is larger than valueBytesMax, measured as UTF-8', () => {
  assert.equal(parseValue(text, 'x'.repeat(1024), rules), 'x'.repeat(1024));
  assert.equal(parseValue(text, 'ก'.repeat(341), rules), 'ก'.repeat(341));
  refuses(text, ['x'.repeat(1025), 'ก'.repeat(342)], /expected at most 1024 bytes .*, got 102[56]\./);
  refuses(json, [['x'.repeat(1021)], `${'\n'.repeat(1024)}1`], /expected at most 1024 bytes .*, got 102[56]\./);
});

test('a JSON number that cannot be held exactly is refused with the advice to send a string', () => {
  const numbers = [2 ** 53, -(2 ** 53), 1e21, 0.1 + 0.2, Math.PI, 2 ** 50 + 0.25, Infinity];
  for (const type of [text, integer, long, double, money, bool, datetime, json]) refuses(type, numbers, /as a string/);
  for (const number of [2 ** 53 - 1, 0.1, 123456.789, 1e-7, 123456789012.345]) {
    assert.equal(parseValue(double, number, rules), number);
  }
});

test('text accepts plain values and keeps them unchanged', () => {
  takes(text, [
    ['', '', ''],
    ['  spaces ', '  spaces ', '  spaces '],
    ['null', 'null', 'null'],
    [10, '10', '10'],
    [-0, '0', '0'],
    [1.5, '1.5', '1.5'],
    [true, 'true', 'true'],
  ]);
  refuses(text, [{}, [], ['a'], undefined]);
});

test('varchar counts code points and truncates nothing', () => {
  takes(varchar5, [
    ['abcde', 'abcde', 'abcde'],
    ['😀😀😀😀😀', '😀😀😀😀😀', '😀😀😀😀😀'],
    [12345, '12345', '12345'],
    [false, 'false', 'false'],
  ]);
  refuses(varchar5, ['abcdef', '😀😀😀😀😀😀', 123456, 'abcde '], /expected at most 5 characters, got 6/);
});

test('integers are of 32 bits, in any exact spelling', () => {
  takes(integer, [
    ['0', 0, '0'],
    ['-0', 0, '0'],
    [-0, 0, '0'],
    ['+7', 7, '7'],
    ['007', 7, '7'],
    ['10.00', 10, '10'],
    ['1e3', 1000, '1000'],
    ['1500e-2', 15, '15'],
    [2147483647, 2147483647, '2147483647'],
    ['2147483647', 2147483647, '2147483647'],
    ['-2147483648', -2147483648, '-2147483648'],
    ['0000000000000000000001', 1, '1'],
  ]);
  const tooLarge = ['2147483648', '-2147483649', 2147483648, '99999999999999999999', '1e10', '1e999999', '1e-1'];
  refuses(
    integer,
    [...tooLarge, 1.5, '1.5', 'abc', '0x10', ' 1', '1 ', '1 000', '1_000', '--1', '-', '.', 'e1', '٣', '1e', true, []],
    /-2147483648 to 2147483647/,
  );
  refuses(integer, [''], /null leaves the column empty/);
});

test('longs are of 64 bits', () => {
  takes(long, [
    ['9223372036854775807', 9223372036854775807n, '9223372036854775807'],
    ['-9223372036854775808', -9223372036854775808n, '-9223372036854775808'],
    ['9007199254740993', 9007199254740993n, '9007199254740993'],
    [9007199254740991, 9007199254740991n, '9007199254740991'],
    ['-0', 0n, '0'],
    ['922337203685477580.7e1', 9223372036854775807n, '9223372036854775807'],
  ]);
  refuses(long, ['9223372036854775808', '-9223372036854775809', '1e19', 1.5, '1.5', '', 'abc', false, {}]);
});

test('doubles are written in their shortest form, and zero has no sign', () => {
  takes(double, [
    ['0.1', 0.1, '0.1'],
    ['0.10', 0.1, '0.1'],
    ['-0', 0, '0'],
    [-0, 0, '0'],
    ['-0.0e5', 0, '0'],
    ['.5', 0.5, '0.5'],
    ['5.', 5, '5'],
    ['+2.5E+2', 250, '250'],
    ['1e21', 1e21, '1e+21'],
    ['0.30000000000000004', 0.30000000000000004, '0.30000000000000004'],
    ['1.7976931348623157e308', Number.MAX_VALUE, '1.7976931348623157e+308'],
    ['5e-324', 5e-324, '5e-324'],
  ]);
  refuses(double, ['1e400', '-1e309', '1e-400', '-0.0000001e-400'], /a double can hold/);
  refuses(double, ['NaN', 'Infinity', '-Infinity', '', ' ', '0x10', '1,5', '1e', '.', 'e5', '1 ', '1n', true, [1]]);
});

test('decimals keep every digit and their scale', () => {
  takes(money, [
    ['12.5', 1250n, '12.50'],
    [12.5, 1250n, '12.50'],
    ['12', 1200n, '12.00'],
    ['-0.01', -1n, '-0.01'],
    ['-0.00', 0n, '0.00'],
    ['0.010000', 1n, '0.01'],
    ['.5', 50n, '0.50'],
    ['1e-2', 1n, '0.01'],
    ['1.25e3', 125000n, '1250.00'],
    [1e-2, 1n, '0.01'],
    ['9999999999999999.99', 999999999999999999n, '9999999999999999.99'],
    ['-9999999999999999.99', -999999999999999999n, '-9999999999999999.99'],
  ]);
  takes(whole, [
    ['99999', 99999n, '99999'],
    [-5, -5n, '-5'],
    ['1.000', 1n, '1'],
  ]);
  refuses(money, ['12.345', 12.345, '1e-3'], /at most 2 digits after the point/);
  refuses(
    money,
    ['10000000000000000', '1e16', '1e999999', 'abc', '', 'NaN', '1,5', '0x1', true, {}],
    /16 digits before and 2 after/,
  );
  refuses(whole, ['100000', '1.5', `${'0'.repeat(100)}1`]);
});

test('bools are true and false, in any case, and 1 and 0', () => {
  for (const input of [true, 'true', 'TRUE', 'True', 1, '1']) takes(bool, [[input, true, 'true']]);
  for (const input of [false, 'false', 'FALSE', 'False', 0, '0']) takes(bool, [[input, false, 'false']]);
  refuses(bool, ['', 'yes', 't', 2, '2', -1, '01', [], {}], /"true" or "false"/);
});

test('datetimes are ISO 8601 or epoch milliseconds', () => {
  takes(datetime, [
    ['2014-01-23T14:44:36.516+07:00', 1390463076516, '2014-01-23T07:44:36.516+00:00'],
    ['1390463076516', 1390463076516, '2014-01-23T07:44:36.516+00:00'],
    [1390463076516, 1390463076516, '2014-01-23T07:44:36.516+00:00'],
    ['-1', -1, '1969-12-31T23:59:59.999+00:00'],
    ['0', 0, '1970-01-01T00:00:00.000+00:00'],
    [-0, 0, '1970-01-01T00:00:00.000+00:00'],
    ['-0', 0, '1970-01-01T00:00:00.000+00:00'],
    [instantMin, instantMin, '0001-01-01T00:00:00.000+00:00'],
    [instantMax, instantMax, '9999-12-31T23:59:59.999+00:00'],
  ]);
  refuses(
    datetime,
    [instantMax + 1, instantMin - 1, String(instantMax + 1), 1.5, '1.5', '', 'now', true, {}],
    /2014-01-23T14:44:36\.516\+07:00/,
  );
  assert.equal(
    parseValue(datetime, '2014-01-23 14:44', { ...rules, zone: zoneOf('+07:00') }),
    Date.UTC(2014, 0, 23, 7, 44),
  );
});

test('json is canonical; a string is JSON text, anything else the value', () => {
  takes(json, [
    ['{ "b" : 1, "a" : [ ] }', '{"a":[],"b":1}', '{"a":[],"b":1}'],
    ['"text"', '"text"', '"text"'],
    ['null', 'null', 'null'],
    [' 1.50 ', '1.5', '1.5'],
    ['-0', '0', '0'],
    ['9007199254740991', '9007199254740991', '9007199254740991'],
    ['"12345678901234567890"', '"12345678901234567890"', '"12345678901234567890"'],
    ['0.000000000000000000001', '1e-21', '1e-21'],
    ['1.50000000000000000000', '1.5', '1.5'],
    ['[1e-300,123456789012345]', '[1e-300,123456789012345]', '[1e-300,123456789012345]'],
    ['0e999', '0', '0'],
    ['[0.30000000000000004,1e21]', '[0.30000000000000004,1e+21]', '[0.30000000000000004,1e+21]'],
    ['9007199254740992.0', '9007199254740992', '9007199254740992'],
    ['-5e-324', '-5e-324', '-5e-324'],
    [7, '7', '7'],
    [true, 'true', 'true'],
  ]);
  assert.equal(parseValue(json, { b: 1, a: [null, 'x'] }, rules), '{"a":[null,"x"],"b":1}');
  refuses(json, ['', '{bad', "{'a':1}", '[1,]', 'undefined', 'NaN', '01'], /expected JSON text/);
  const inexact = ['[9007199254740993]', '0.10000000000000000001', '1.00000000000000001', '1e400', '1e-400'];
  refuses(json, [...inexact, `[${'1'.repeat(1000)}]`, `0.${'10'.repeat(100)}`, { a: 2 ** 60 }], /send it as a string/);
});

test('json is nested no deeper than depthMax', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  assert.equal(parseValue(json, nested(32), rules), nested(32));
  refuses(json, [nested(33), nested(500), JSON.parse(nested(33))], /more than 32 deep/);
  assert.throws(() => parseValue(json, '[[1]]', { ...rules, depthMax: 1 }), /more than 1 deep/);
  const large = { ...rules, valueBytesMax: 10_000_000 };
  assert.throws(() => parseValue(json, nested(200_000), large), ValueError);
});

test('an error quotes the received value, truncated to a line, and never the whole value', () => {
  assert.throws(
    () => parseValue(integer, 'x'.repeat(1000), rules),
    (error) => error instanceof ValueError && error.message.length < 160,
  );
});

const zones = ['UTC', '+07:00', '-03:30', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata'].map(zoneOf);
const anyText = fc.string({ unit: 'binary', maxLength: 50 }).filter((value) => !value.includes('\0'));
const inputs: readonly (readonly [ColumnType, fc.Arbitrary<unknown>])[] = [
  [{ kind: 'varchar', length: 50 }, anyText],
  [text, anyText],
  [integer, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })],
  [long, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  [double, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)],
  [money, fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map((unscaled) => `${unscaled}e-2`)],
  [{ kind: 'decimal', precision: 18, scale: 18 }, fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map((n) => `-${n}e-18`)],
  [bool, fc.boolean()],
  [datetime, fc.integer({ min: instantMin, max: instantMax })],
  [json, fc.jsonValue({ stringUnit: 'grapheme' }).map((value) => JSON.stringify(value))],
];

test('the wire text of a value reads as the same value, whatever the zone it is shown in', () => {
  for (const [type, input] of inputs) {
    fc.assert(
      fc.property(input, fc.constantFrom(...zones), fc.constantFrom(...zones), (sent, shown, read) => {
        const generous = { zone: read, valueBytesMax: 1_000_000 };
        const stored = parseValue(type, sent, generous);
        const wire = wireText(type, stored, shown);
        assert.equal(typeof wire, 'string');
        const again = parseValue(type, wire, generous);
        assert.ok(Object.is(again, stored), `${type.kind}: ${String(stored)} became ${String(again)} over ${wire}`);
        assert.equal(wireText(type, again, shown), wire);
      }),
      { numRuns: 300 },
    );
  }
});

test('a number is read exactly or not at all', () => {
  const digits = fc.stringMatching(/^[+-]?\d{1,22}(\.\d{0,8})?([eE][+-]?\d{1,2})?$/);
  fc.assert(
    fc.property(digits, fc.constantFrom(integer, long, money, whole), (sent, type) => {
      let stored: StoredValue;
      try {
        stored = parseValue(type, sent, rules);
      } catch (error) {
        assert.ok(error instanceof ValueError);
        return;
      }
      const scale = type.kind === 'decimal' ? type.scale : 0;
      assert.deepEqual(fractionOf(sent), reduced(BigInt(stored as number | bigint), 10n ** BigInt(scale)), sent);
    }),
    { numRuns: 2_000 },
  );
});

/** A number's text as a reduced fraction. */
function fractionOf(decimal: string): readonly [bigint, bigint] {
  const [mantissa, exponent = '0'] = decimal.toLowerCase().split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.replace('+', '').split('.') as [string, string?];
  const power = Number(exponent) - fraction.length;
  const numerator = BigInt(whole.replace('-', '') + fraction) * (whole.startsWith('-') ? -1n : 1n);
  return power >= 0 ? reduced(numerator * 10n ** BigInt(power), 1n) : reduced(numerator, 10n ** BigInt(-power));
}

function reduced(numerator: bigint, denominator: bigint): readonly [bigint, bigint] {
  let [large, small] = [numerator < 0n ? -numerator : numerator, denominator];
  while (small !== 0n) [large, small] = [small, large % small];
  return [numerator / large, denominator / large];
}
