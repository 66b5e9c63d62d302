/** Canonical JSON: one text for equal values, and a text that reads as the same value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/schema/canonical-json.ts';

function shuffled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(shuffled);
  const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member)] as const);
  return Object.fromEntries(entries.reverse());
}

test('keys are sorted by code point, and there are no spaces', () => {
  assert.equal(
    canonicalJson(JSON.parse('{ "b" : [ 1, 2.50, {} ], "a" : null, "B": "x" }')),
    '{"B":"x","a":null,"b":[1,2.5,{}]}',
  );
  assert.equal(canonicalJson({ '😀': 1, '～': 2, a: 3 }), '{"a":3,"～":2,"😀":1}');
  assert.equal(canonicalJson({ b: 1, 10: 2, 9: 3 }), '{"10":2,"9":3,"b":1}');
  assert.equal(
    canonicalJson(JSON.parse('{"__proto__":{"x":1},"constructor":2}')),
    '{"__proto__":{"x":1},"constructor":2}',
  );
});

test('plain values, and numbers in their shortest form', () => {
  const cases: [unknown, string][] = [
    [null, 'null'],
    [true, 'true'],
    ['', '""'],
    ['"\n\u2028', '"\\"\\n\u2028"'],
    [-0, '0'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    [[], '[]'],
    [{}, '{}'],
    [[''], '[""]'],
    [{ '': '' }, '{"":""}'],
  ];
  for (const [value, text] of cases) assert.equal(canonicalJson(value), text);
});

test('equal values have equal text, whatever the order of their keys, and the text reads as the value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(shuffled(value)), text);
      assert.equal(canonicalJson(JSON.parse(text)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});
