/** LIKE: patterns against an oracle; ignoring case; escapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldedPattern } from '../../src/query/compile/folded-pattern.ts';
import { patternFlaw, patternParts } from '../../src/query/like.ts';
import { foldLower } from '../../src/schema/fold.ts';
import { holds } from './seeded.ts';
import { openWorld, table, types } from './world.ts';

const world = await openWorld(table('T', { text: types.text }));

const matches = world.isLike;

/**
 * The same, from the definition: character by character, trying every length for a `%`.
 * @param literal converts a literal character
 */
function oracle(text: string, pattern: string, escapedBy: string | null, literal = (character: string) => character) {
  const [rest, marks] = [[...text], [...pattern]];
  const from = (at: number, mark: number): boolean => {
    const character = marks[mark];
    if (character === undefined) return at === rest.length;
    if (character === escapedBy) return rest[at] === literal(marks[mark + 1]!) && from(at + 1, mark + 2);
    if (character === '%') return from(at, mark + 1) || (at < rest.length && from(at + 1, mark));
    if (character === '_') return at < rest.length && from(at + 1, mark + 1);
    return rest[at] === literal(character) && from(at + 1, mark + 1);
  };
  return from(0, 0);
}

const characters = fc.constantFrom(...'ab%_*?[]!^-\\Éé😀ß\n');
const texts = fc.array(characters, { maxLength: 8 }).map((list) => list.join(''));
const escapes = fc.constantFrom(null, '!', '\\', '%', '_', 'a', '😀', '[');

/**
 * Characters that readers of UTF-8 may misinterpret: noncharacters, controls, zero-width spaces, the byte order mark.
 */
const special = fc.constantFrom(...'\u0001\u007f\u0085\u200b\ufdd0\ufeff\ufffd\ufffe\uffff\u{1fffe}\u{10ffff}a%_');
const specialTexts = fc.array(special, { maxLength: 6 }).map((list) => list.join(''));

test('one code point is one code point', async (context) => {
  const property = fc.asyncProperty(specialTexts, specialTexts, async (text, pattern) => {
    assert.equal(await matches(text, pattern, null), oracle(text, pattern, null));
  });
  await holds(context, property, 5_000);
});

test('a pattern matches as defined, whatever its characters', async (context) => {
  const property = fc.asyncProperty(texts, texts, escapes, async (text, pattern, escapedBy) => {
    fc.pre(patternFlaw(pattern, escapedBy, 100) === null);
    assert.equal(await matches(text, pattern, escapedBy), oracle(text, pattern, escapedBy));
  });
  await holds(context, property, 5_000);
});

test('a pattern made from the text itself matches it', async (context) => {
  const property = fc.asyncProperty(texts, async (text) => {
    const pattern = text.replace(/[%_!]/g, '!$&');
    assert.ok(await matches(text, pattern, '!'));
    assert.ok(await matches(text, `${pattern}%`, '!'));
    assert.ok(await matches(text, '_'.repeat([...text].length), null));
    assert.ok(!(await matches(text, '_'.repeat([...text].length + 1), null)));
  });
  await holds(context, property, 1_000);
});

test('a folded pattern matches the folded text if and only if letters differ only in case', async (context) => {
  const property = fc.asyncProperty(texts, texts, escapes, async (text, pattern, escapedBy) => {
    const parts = patternParts(pattern, escapedBy);
    fc.pre(parts !== null);
    const folded = foldedPattern(parts);
    const lower = foldLower(text);
    assert.equal(await matches(lower, folded.pattern, folded.escape), oracle(lower, pattern, escapedBy, foldLower));
  });
  await holds(context, property, 3_000);
});

test('only an escape character at the end, and length, are flaws', async () => {
  assert.equal(patternFlaw('a!b', '!', 10), null);
  assert.equal(patternFlaw('a!!', '!', 10), null);
  assert.equal(patternFlaw('a!', null, 10), null);
  assert.equal(patternFlaw('a!', '!', 10), 'the LIKE pattern ends with its escape character "!".');
  assert.equal(patternFlaw('😀'.repeat(10), null, 10), null);
  assert.match(patternFlaw('😀'.repeat(11), null, 10)!, /11 characters; at most 10/);
});

/** ObjectIds found by `text <condition>`, for texts by their id. */
const rows: Readonly<Record<string, string | null>> = {
  a: 'Straße',
  b: 'STRASSE',
  c: '100%',
  d: '100x',
  e: 'ΣΑΣ',
  f: null,
};
for (const [objectId, text] of Object.entries(rows)) await world.insert('T', { objectId, text });

const found = async (source: string, ...params: unknown[]) =>
  (await world.query({ from: { phyName: 'T', alias: 't' }, where: { expression: { source, params } } }))
    .t!.map((row) => row.objectId)
    .join('');

test('LIKE in queries', async () => {
  assert.equal(await found("#t.text LIKE 'S%'"), 'ab');
  assert.equal(await found("#t.text LIKE 's%'"), '');
  assert.equal(await found("#t.text NOT LIKE 'S%'"), 'cde');
  assert.equal(await found("#t.text LIKE '100!%' ESCAPE '!'"), 'c');
  assert.equal(await found("#t.text LIKE ? ESCAPE 'x'", '100x%'), 'c');
  assert.equal(await found('#t.text LIKE ?', null), '');
  assert.equal(await found('NOT (#t.text LIKE ?)', null), '');
  assert.equal(await found("LOWER(#t.text) LIKE 'σα_'"), 'e');
  assert.equal(await found("'abc' LIKE 'a%'"), 'abcdef');
  assert.equal(await found("? LIKE 'a%'", 'xyz'), '');
});

test('long texts are matched alike', async () => {
  const long = await openWorld(table('T', { text: types.text }));
  const text = `Ä${'ab'.repeat(2_000)}😀%z`;
  await long.insert('T', { objectId: 'x', text });
  const matching = async (source: string, ...params: unknown[]) =>
    (await long.count({
      from: { phyName: 'T', alias: 't' },
      where: { expression: { source: `#t.text ${source}`, params } },
    })) === 1;
  for (const pattern of ['%z', 'Ä%', '%ba%', '%b😀_z', 'Äab%ab😀%', '%ab%ab%ab%', '_ab%', `${'_'.repeat(4)}%`]) {
    assert.ok(await matching('LIKE ?', pattern), pattern);
    assert.ok(!(await matching('NOT LIKE ?', pattern)), pattern);
  }
  for (const pattern of ['%Z', 'ä%', '%aa%', '', 'Ä%ab', '%😀__z', 'ab%']) {
    assert.ok(!(await matching('LIKE ?', pattern)), pattern);
    assert.ok(await matching('NOT LIKE ?', pattern), pattern);
  }
  assert.ok(await matching("LIKE ? ESCAPE '!'", '%!%z'));
  assert.ok(!(await matching('LIKE ?', null)));
  assert.ok(!(await matching('NOT LIKE ?', null)));
});

test('LIKE of the older form may ignore case, wildcards may not', async () => {
  const like = async (value: string, isIgnoreCase: string) =>
    (
      await world.older({
        objectNames: 'T',
        returnedObjectNames: 'T',
        condition: {
          whereConditions: [
            {
              searchConditions: [
                { type: 3, tableName: 'T', columnName: 'text', conditionValue: [value], isIgnoreCase },
              ],
            },
          ],
        },
      })
    )
      .T!.map((row) => row.objectId)
      .join('');
  assert.equal(await like('straß_', 'true'), 'a');
  assert.equal(await like('straß_', 'false'), '');
  assert.equal(await like('σας', 'true'), 'e');
  assert.equal(await like('%X', 'true'), 'd');
  assert.equal(await like('100\\%', 'true'), '');
});
