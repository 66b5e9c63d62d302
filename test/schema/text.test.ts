/** Checks and measures of text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePointLength, compareCodePoints, isLongerThanBytes } from '../../src/schema/text.ts';
import { isWellFormed } from '../../src/text.ts';

const anyText = fc.string({ unit: 'binary' });

test('NUL and unpaired surrogates are not well formed', () => {
  for (const text of ['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800']) assert.equal(isWellFormed(text), false);
  for (const text of ['', 'a', 'สวัสดี', '😀', '\u{10ffff}', '\ufffe']) assert.equal(isWellFormed(text), true);
});

test('length is counted in code points', () => {
  fc.assert(fc.property(anyText, (text) => assert.equal(codePointLength(text), [...text].length)));
});

test('size is measured in bytes of UTF-8', () => {
  fc.assert(
    fc.property(anyText, fc.nat(60), (text, max) => {
      assert.equal(isLongerThanBytes(text, max), Buffer.byteLength(text) > max);
    }),
  );
});

test('the order by code point is the order of the UTF-8 bytes', () => {
  const near = fc.string({ unit: fc.constantFrom('a', '\ud7ff', '\ue000', '～', '\uffff', '𐀀', '😀', '\u{10ffff}') });
  fc.assert(
    fc.property(near, near, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareCodePoints(left, right)), expected);
    }),
  );
});
