/** Bodies designed to take long: each is checked in one pass over its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaults } from '../../src/config.ts';
import { parseBody } from '../../src/http/body.ts';

const parse = (text: string) => parseBody(Buffer.from(text), defaults);

test('a number of a million zeros and a list of many numbers are checked', () => {
  const zeros = '0'.repeat(1_000_000);
  assert.throws(() => parse(`{"a":0.1${zeros}1}`), /^ServiceError: a: the number 0\.10/);
  assert.deepEqual(parse(`{"a":1.5${zeros}}`), { a: 1.5 });
  assert.throws(() => parse(`[${'1.5,'.repeat(10_000)}1e999]`), /^ServiceError: \[10000\]: the number 1e999/);
});

test('the position of an inexact number is found among texts that look like JSON', () => {
  const refused = (text: string, place: string) =>
    assert.throws(
      () => parse(text),
      (error: Error) => error.message.startsWith(`${place}: the number `),
    );
  refused('{"data":[{"x":1},{"q\\"uo:te,[{":"[1,{","n":{"m":[0,{},[],-1.5e3,-9007199254740993]}}]}', 'data[1].n.m[4]');
  refused('{"a":"\\\\","b":12345678901234567890}', 'b');
  refused('[1,[2,{"a":{"b":1}},12345678901234567890]]', '[1][2]');
  refused('12345678901234567890', 'body');
});

test('an inexact number is refused in every position and notation', () => {
  const numbers = [
    '12345678901234567890',
    '9007199254740993',
    '0.12345678901234567',
    '1234567.8901234567',
    '1e999',
    '12E-400',
  ];
  const places = [
    'N',
    ' N',
    '\tN\r\n',
    '[N]',
    '[1,N]',
    '[\nN ]',
    '{"a":N}',
    '{"a": N,"b":[]}',
    '{"a":\r\n\tN}',
    '{"a":[[],N]}',
  ];
  for (const number of numbers) {
    for (const sign of ['', '-']) {
      for (const place of places) {
        const text = place.replace('N', sign + number);
        assert.throws(() => parse(text), /^ServiceError: .*: the number /, text);
        assert.doesNotThrow(() => parse(place.replace('N', `"${sign + number}"`)), text);
      }
    }
  }
});

test('exact numbers are accepted in every notation', () => {
  assert.deepEqual(parse('[9007199254740991,-0,1.50000000000000000000,1e300,0.1,"12345678901234567890",1e2]'), [
    9007199254740991,
    -0,
    1.5,
    1e300,
    0.1,
    '12345678901234567890',
    100,
  ]);
});

test('a whole number is accepted in every notation, and refused if JavaScript cannot hold it', () => {
  const taken = {
    '3686615489760191.0': 3686615489760191,
    '-9007199254740991.000': -9007199254740991,
    '900719925474099.10e1': 9007199254740991,
    '36866154897601910e-1': 3686615489760191,
  };
  for (const [written, value] of Object.entries(taken)) {
    assert.deepEqual(parse(`{"a":${written}}`), { a: value }, written);
  }
  for (const written of [
    '9007199254740992.0',
    '9007199254740993.0',
    '9007199254740991.4',
    '1.2345678901234567e16',
    '3686615489760191.1',
    '0.3686615489760191',
  ]) {
    assert.throws(() => parse(`{"a":${written}}`), /a: the number .* cannot be held exactly/, written);
  }
});

test('a name of any length and form is truncated and quoted in errors', () => {
  const name = `\n\u001b[2J${'\\'.repeat(1_000_000)}`;
  for (const value of ['"\\u0000"', '12345678901234567890']) {
    assert.throws(
      () => parse(`{"data":[{${JSON.stringify(name)}:${value}}]}`),
      (error: Error) => error.message.length < 200 && error.message.startsWith('data[0]."\\n\\u001b['),
    );
  }
});

test('a member whose name has NUL or an unpaired surrogate is refused in every position', () => {
  for (const name of ['a\\u0000', '\\ud800', '\\udc00b']) {
    for (const text of [`{"N":1}`, `{"data":[{"N":1}]}`, `{"data":[{"extra":{"a":[{"N":null}]}}]}`]) {
      assert.throws(() => parse(text.replace('N', name)), /^ServiceError: .*(NUL|surrogate)/, text);
    }
  }
  assert.deepEqual(parse('{"\\ud83d\\ude00":1}'), { '\u{1f600}': 1 });
});
