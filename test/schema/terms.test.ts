/** The terms of a text, and those of a query. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { queryTerms, storedTerms } from '../../src/schema/terms.ts';
import { ValueError } from '../../src/schema/values.ts';
import { holds } from '../query/seeded.ts';

const stored = (text: string) => storedTerms(text).trim();
const asked = (text: string) => queryTerms(text).map(({ term, isPrefix }) => `${term}${isPrefix ? '*' : ''}`);

/** A text, its terms, and those of a query with it. */
const cases: readonly (readonly [string, string, string])[] = [
  ['', '', ''],
  [' -- *!', '', ''],
  ["Hello, HELLO world: don't", 'hello world don t', 'hello world don t'],
  ['fo* o *bar', 'fo o bar', 'fo* o bar'],
  ['Ünï ÜNÏ u\u0308ni\u0308 Straße', 'ünï straße', 'ünï straße'],
  ['x2_y v1.0', 'x2 y v1 0', 'x2 y v1 0'],
  ['soft\u00adhyphen ﬁne ²', 'softhyphen fine 2', 'softhyphen fine 2'],
  ['東京都', '東京 京都 都', '東京 京都'],
  ['東', '東', '東*'],
  ['ﾊﾝｶｸ ＡＢＣ＊', 'ハン ンカ カク ク abc', 'ハン ンカ カク abc*'],
  ['データ2025年', 'デー ータ タ 2025 年', 'デー ータ 2025 年*'],
  ['서울 대학교', '서울 울 대학 학교 교', '서울 대학 학교'],
  ['葛\u{e0100}城 𠀋𠀀', '葛城 城 𠀋𠀀 𠀀', '葛城 𠀋𠀀'],
  ['か\u3099き\u3099', 'がぎ ぎ', 'がぎ'],
  ['नमस्ते สวัสดี', 'नमस्ते สวัสดี', 'नमस्ते สวัสดี'],
  [`${'a'.repeat(39)}bc`, `${'a'.repeat(39)}b`, `${'a'.repeat(39)}b`],
];

test('words are folded and truncated, and other scripts are split into pairs', () => {
  for (const [text, terms, wanted] of cases) {
    assert.equal(stored(text), terms, text);
    assert.equal(asked(text).join(' '), wanted, text);
  }
});

test('any text is found by itself, and by the beginning of any of its words', async (context) => {
  const characters = fc.oneof(
    fc.constantFrom(...'aBß1 .*ä東京ｶﾞ가나\u0301\u{e0100}𠀋ー'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  );
  const property = fc.property(fc.array(characters, { maxLength: 30 }), (parts) => {
    const text = parts.join('').toWellFormed();
    const terms = storedTerms(text);
    for (const { term, isPrefix } of queryTerms(text)) {
      assert.ok(terms.includes(isPrefix ? ` ${term}` : ` ${term} `), `${JSON.stringify(text)} ${term}`);
      assert.match(term, /^[^\s'"\\]+$/u);
    }
  });
  await holds(context, property, 3_000);
});

test('a text with too many terms is refused', () => {
  const words = (count: number) => Array.from({ length: count }, (_, number) => `w${number}`).join(' ');
  assert.equal(storedTerms(words(5_000)).split(' ').length, 5_002);
  assert.throws(() => storedTerms(words(5_001)), ValueError);
});
