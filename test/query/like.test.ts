/** LIKE: patterns against an oracle, on SQLite; without regard to case; escapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldedPattern, patternFlaw, patternParts } from '../../src/query/like.ts';
import { foldLower } from '../../src/schema/fold.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { holds } from './seeded.ts';
import { openWorld, table, types } from './world.ts';

const world = openWorld(table('T', { text: types.text }));
const statement = world.db.prepare('SELECT ? GLOB ? AS matches');

function matches(text: string, pattern: string, escapedBy: string | null): boolean {
  return statement.get(text, sqliteDialect.boundPattern(pattern, escapedBy))?.matches === 1;
}

/**
 * The same, from the definition: character by character, trying every length for a `%`.
 * @param literal what becomes of a character that stands for itself
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

test('a pattern matches what it says, whatever characters it has', (context) => {
  const property = fc.property(texts, texts, escapes, (text, pattern, escapedBy) => {
    fc.pre(patternFlaw(pattern, escapedBy, 100) === null);
    assert.equal(matches(text, pattern, escapedBy), oracle(text, pattern, escapedBy));
  });
  holds(context, property, 5_000);
});

test('a pattern made from the text itself matches it', (context) => {
  const property = fc.property(texts, (text) => {
    const pattern = text.replace(/[%_!]/g, '!$&');
    assert.ok(matches(text, pattern, '!'));
    assert.ok(matches(text, `${pattern}%`, '!'));
    assert.ok(matches(text, '_'.repeat([...text].length), null));
    assert.ok(!matches(text, '_'.repeat([...text].length + 1), null));
  });
  holds(context, property, 1_000);
});

test('a folded pattern matches the folded text exactly when letters differ in case only', (context) => {
  const property = fc.property(texts, texts, escapes, (text, pattern, escapedBy) => {
    const parts = patternParts(pattern, escapedBy);
    fc.pre(parts !== null);
    const folded = foldedPattern(parts);
    const lower = foldLower(text);
    assert.equal(matches(lower, folded.pattern, folded.escape), oracle(lower, pattern, escapedBy, foldLower));
  });
  holds(context, property, 3_000);
});

test('only an escape character at the end, and length, are flaws', () => {
  assert.equal(patternFlaw('a!b', '!', 10), null);
  assert.equal(patternFlaw('a!!', '!', 10), null);
  assert.equal(patternFlaw('a!', null, 10), null);
  assert.equal(patternFlaw('a!', '!', 10), 'the LIKE pattern ends with its escape character "!".');
  assert.equal(patternFlaw('😀'.repeat(10), null, 10), null);
  assert.match(patternFlaw('😀'.repeat(11), null, 10)!, /11 characters; at most 10/);
});

/** Found objectIds of `text <condition>`, for texts by their id. */
const rows: Readonly<Record<string, string | null>> = {
  a: 'Straße',
  b: 'STRASSE',
  c: '100%',
  d: '100x',
  e: 'ΣΑΣ',
  f: null,
};
for (const [objectId, text] of Object.entries(rows)) world.insert('T', { objectId, text });

const found = (source: string, ...params: unknown[]) =>
  world
    .query({ from: { phyName: 'T', alias: 't' }, where: { expression: { source, params } } })
    .t!.map((row) => row.objectId)
    .join('');

test('LIKE in queries', () => {
  assert.equal(found("#t.text LIKE 'S%'"), 'ab');
  assert.equal(found("#t.text LIKE 's%'"), '');
  assert.equal(found("#t.text NOT LIKE 'S%'"), 'cde');
  assert.equal(found("#t.text LIKE '100!%' ESCAPE '!'"), 'c');
  assert.equal(found("#t.text LIKE ? ESCAPE 'x'", '100x%'), 'c');
  assert.equal(found('#t.text LIKE ?', null), '');
  assert.equal(found('NOT (#t.text LIKE ?)', null), '');
  assert.equal(found("LOWER(#t.text) LIKE 'σα_'"), 'e');
  assert.equal(found("'abc' LIKE 'a%'"), 'abcdef');
  assert.equal(found("? LIKE 'a%'", 'xyz'), '');
});

test('long texts are matched alike', () => {
  const long = openWorld(table('T', { text: types.text }));
  const text = `Ä${'ab'.repeat(2_000)}😀%z`;
  long.insert('T', { objectId: 'x', text });
  const matching = (source: string, ...params: unknown[]) =>
    long.count({
      from: { phyName: 'T', alias: 't' },
      where: { expression: { source: `#t.text ${source}`, params } },
    }) === 1;
  for (const pattern of ['%z', 'Ä%', '%ba%', '%b😀_z', 'Äab%ab😀%', '%ab%ab%ab%', '_ab%', `${'_'.repeat(4)}%`]) {
    assert.ok(matching('LIKE ?', pattern), pattern);
    assert.ok(!matching('NOT LIKE ?', pattern), pattern);
  }
  for (const pattern of ['%Z', 'ä%', '%aa%', '', 'Ä%ab', '%😀__z', 'ab%']) {
    assert.ok(!matching('LIKE ?', pattern), pattern);
    assert.ok(matching('NOT LIKE ?', pattern), pattern);
  }
  assert.ok(matching("LIKE ? ESCAPE '!'", '%!%z'));
  assert.ok(!matching('LIKE ?', null));
  assert.ok(!matching('NOT LIKE ?', null));
});

test('LIKE of the older form may ignore case, wildcards may not', () => {
  const like = (value: string, isIgnoreCase: string) =>
    world
      .older({
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
      .T!.map((row) => row.objectId)
      .join('');
  assert.equal(like('straß_', 'true'), 'a');
  assert.equal(like('straß_', 'false'), '');
  assert.equal(like('σας', 'true'), 'e');
  assert.equal(like('%X', 'true'), 'd');
  assert.equal(like('100\\%', 'true'), '');
});
