/**
 * One code point counts as one on every engine: in LIKE, comparing, sorting, LENGTH, TRIM and folds, in short and long
 * texts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldLower, foldUpper } from '../../src/schema/fold.ts';
import { compareCodePoints } from '../../src/schema/text.ts';
import { openWorld, table, types } from './world.ts';

const world = await openWorld(table('T', { short: types.varchar(10), long: types.text }));

const bases = [
  0x01, 0x09, 0x1f, 0x20, 0x7f, 0x80, 0x85, 0xa0, 0xad, 0x130, 0x131, 0x17f, 0x345, 0x1e9e, 0x200b, 0x200d,
];
const nonCharacters = [0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x1_fffe, 0x1_ffff, 0x10_fffe, 0x10_ffff];
const others = [0x2028, 0x212a, 0xd7ff, 0xe000, 0xfeff, 0xfffc, 0xfffd, 0x1_0000, 0x1_0400, 0x1_f600, 0xe_0001];
const characters = [...bases, ...nonCharacters, ...others].map((codePoint) => String.fromCodePoint(codePoint));

/** Longer than texts that SQLite matches by its own GLOB. */
const filler = 'b'.repeat(3_000);
const records = characters.map((character, index) => ({
  objectId: `r${String(index).padStart(3, '0')}`,
  short: `a${character}c`,
  long: `a${character}${filler}`,
}));
for (const record of records) await world.insert('T', record);

type Column = 'short' | 'long';

async function found(source: string, ...params: string[]): Promise<string[]> {
  const form = { from: { phyName: 'T', alias: 't' }, where: { expression: { source, params } } };
  return (await world.query(form)).t!.map((record) => record.objectId!);
}

const idsOf = (isMeant: (record: (typeof records)[number]) => boolean) =>
  records.filter(isMeant).map(({ objectId }) => objectId);

for (const column of ['short', 'long'] as const satisfies Column[]) {
  test(`each special character is like itself and no other: ${column}`, async () => {
    for (const [index, character] of characters.entries()) {
      const { objectId } = records[index]!;
      assert.deepEqual(await found(`#t.${column} LIKE ?`, `a${character}%`), [objectId], named(character));
      assert.deepEqual(await found(`#t.${column} LIKE ?`, `%${character}_%`), [objectId], named(character));
      const others = idsOf((record) => record.objectId !== objectId);
      assert.deepEqual(await found(`#t.${column} NOT LIKE ?`, `_${character}%`), others, named(character));
    }
    assert.equal((await found(`#t.${column} LIKE ?`, 'a__%')).length, records.length);
    assert.equal((await found(`#t.short LIKE ?`, 'a____')).length, 0);
  });
}

test('each special character is equal only to itself, with and without case', async () => {
  for (const [index, character] of characters.entries()) {
    const { objectId, short } = records[index]!;
    assert.deepEqual(await found('#t.short = ? AND #t.short IN (?)', short, short), [objectId], named(character));
    const lower = idsOf((record) => foldLower(record.short) === foldLower(short));
    assert.deepEqual(await found('LOWER(#t.short) = LOWER(?)', short), lower, named(character));
    const upper = idsOf((record) => foldUpper(record.short) === foldUpper(short));
    assert.deepEqual(await found('UPPER(#t.short) = ?', foldUpper(short)), upper, named(character));
    const folded = world.older({
      objectNames: ['T'],
      returnedObjectNames: ['T'],
      condition: {
        whereConditions: [
          {
            type: 'AND',
            searchConditions: [
              { type: 3, tableName: 'T', columnName: 'short', conditionValue: [short], isIgnoreCase: 'true' },
            ],
          },
        ],
      },
    });
    assert.deepEqual(
      (await folded).T!.map((record) => record.objectId),
      lower,
      named(character),
    );
  }
});

test('special characters count as one, are not spaces, and sort by code point', async () => {
  const all = idsOf(() => true);
  assert.deepEqual(await found('LENGTH(#t.short) = 3'), all);
  for (const [index, character] of characters.entries()) {
    const { objectId } = records[index]!;
    const trimmed = await found('TRIM(COALESCE(?, #t.short)) = ?', character, character);
    assert.deepEqual(trimmed, character === ' ' ? [] : all, named(character));
    const upTo = idsOf(({ short }) => compareCodePoints(short, records[index]!.short) <= 0);
    assert.deepEqual(await found('#t.short <= ?', records[index]!.short), upTo, objectId);
  }
  const sorted = await world.query({ from: { phyName: 'T', alias: 't' }, orderBy: [{ column: '#t.short' }] });
  const expected = [...records].sort((left, right) => compareCodePoints(left.short, right.short));
  assert.deepEqual(
    sorted.t!.map((record) => [record.objectId, record.short]),
    expected.map(({ objectId, short }) => [objectId, short]),
  );
});

function named(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16)}`;
}
