/** The shipped folds: lengths stay, folding is idempotent, and texts equal ignoring case have equal folds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldLower, foldUpper } from '../../src/schema/fold.ts';

const cased: string[] = [];
for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint++) {
  const character = String.fromCodePoint(codePoint);
  if (/[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u.test(character)) cased.push(character);
}
const isOne = (text: string) => [...text].length === 1;

test('the folds of special letters', () => {
  const cases: [string, string, string][] = [
    ['Hello 123', 'hello 123', 'HELLO 123'],
    ['äÖé', 'äöé', 'ÄÖÉ'],
    ['ΟΔΟΣ', 'οδοσ', 'ΟΔΟΣ'],
    ['οδος', 'οδοσ', 'ΟΔΟΣ'],
    ['Straße', 'straße', 'STRAßE'],
    ['ẞ', 'ß', 'ẞ'],
    ['İ', 'i', 'İ'],
    ['ı', 'ı', 'I'],
    ['ſ', 's', 'S'],
    ['\u212a', 'k', '\u212a'],
    ['ﬀ', 'ﬀ', 'ﬀ'],
    ['ᾳ', 'ᾳ', 'ᾼ'],
    ['ǅ', 'ǆ', 'Ǆ'],
    ['Ꭰ', 'ꭰ', 'Ꭰ'],
    ['ŉ', 'ŉ', 'ŉ'],
    ['สวัสดี 日本', 'สวัสดี 日本', 'สวัสดี 日本'],
    ['𐐀a', '𐐨a', '𐐀A'],
    ['𐐨', '𐐨', '𐐀'],
    ['e\u0301', 'e\u0301', 'E\u0301'],
  ];
  for (const [text, lower, upper] of cases) {
    assert.equal(foldLower(text), lower);
    assert.equal(foldUpper(text), upper);
  }
});

test('letters have the same lower case if and only if they are equal under simple case folding', () => {
  const all = cased.join('');
  for (const character of cased) {
    if (character === 'İ') continue;
    const pattern = new RegExp(`\\u{${character.codePointAt(0)!.toString(16)}}`, 'giu');
    const equal = new Set(all.match(pattern) ?? []);
    const lower = foldLower(character);
    for (const other of equal) assert.equal(foldLower(other), lower, `${character} ${other}`);
    assert.ok(equal.has(lower), `${character} lowers to ${lower}, which is another letter`);
  }
});

test('every letter folds to one code point, to its own case, and not further', () => {
  for (const character of cased) {
    const lower = foldLower(character);
    const upper = foldUpper(character);
    assert.ok(isOne(lower) && isOne(upper), character);
    assert.equal(foldLower(lower), lower, character);
    assert.equal(foldUpper(upper), upper, character);
    if (isOne(character.toUpperCase())) assert.equal(upper, character.toUpperCase(), character);
    if (character !== 'ı') assert.equal(foldLower(upper), lower, `${character}: lower of its upper case`);
  }
});

test('a lower case of one code point equals that of the platform, except for letters with two lower forms', () => {
  const others = cased.filter((c) => isOne(c.toLowerCase()) && foldLower(c) !== c.toLowerCase());
  for (const character of others) {
    assert.equal(character.toLowerCase(), character, `${character} is a lower-case letter`);
    assert.match(character, new RegExp(`[${foldLower(character)}]`, 'iu'));
  }
  assert.ok(others.includes('ς') && others.includes('ſ') && others.length < 40, String(others.length));
});

test('folding treats each code point of a text separately', () => {
  const unit = fc.oneof(fc.constantFrom(...cased), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.array(unit), (characters) => {
      const text = characters.join('');
      for (const fold of [foldLower, foldUpper]) {
        assert.equal(fold(text), [...text].map((character) => fold(character)).join(''));
        assert.equal(fold(fold(text)), fold(text));
        assert.equal([...fold(text)].length, [...text].length);
      }
    }),
    { numRuns: 500 },
  );
});
