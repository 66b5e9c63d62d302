/** Every Unicode character is stored and returned unchanged, is found, and is ordered by code point. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addRecords, defineTables, getRecord, idsOf, select } from '../harness/requests.ts';
import { startWorld, type World } from '../harness/world.ts';

const table = {
  name: 'Letter',
  primary_key: 'objectId',
  columns: [
    { colName: 'body', type: 'text' },
    { colName: 'name', type: 'varchar', fieldLength: 600 },
  ],
};

let world: World;
before(async () => {
  world = await startWorld({ people: ['alice'] });
  await defineTables(world, 'alice', [table]);
});
after(() => world.close());

const chunkLength = 2_048;

/** Every code point but NUL and the surrogates, in chunks. */
function everyCharacter(): string[] {
  const chunks: string[] = [];
  for (let start = 0; start <= 0x10ffff; start += chunkLength) {
    let chunk = '';
    for (let code = start; code < start + chunkLength; code++) {
      if (code !== 0 && (code < 0xd800 || code > 0xdfff)) chunk += String.fromCodePoint(code);
    }
    if (chunk !== '') chunks.push(chunk);
  }
  return chunks;
}

test('every code point of every plane', async () => {
  const chunks = everyCharacter();
  const records = chunks.map((body, index) => ({ objectId: `p${String(index).padStart(4, '0')}`, body }));
  await addRecords(world, 'alice', 'Letter', records);
  const answer = await select(world, 'alice', {
    from: { phyName: 'Letter', alias: 'l' },
    where: { expression: { source: "#l.objectId LIKE 'p%'", params: [] } },
  });
  assert.equal(answer.l?.length, chunks.length);
  for (const [index, record] of (answer.l ?? []).entries()) {
    assert.ok(
      record.body === chunks[index],
      `The characters from U+${(index * chunkLength).toString(16)} came back changed.`,
    );
  }
  for (const index of [0, 26, 27, 31, 32, 100, chunks.length - 1]) {
    const record = await getRecord(world, 'alice', 'Letter', records[index]?.objectId as string);
    assert.ok(record.body === chunks[index]);
  }
});

/** Texts that look alike, or that a careless step would merge, truncate or reorder. */
const samples: Readonly<Record<string, string>> = {
  composed: 'é',
  decomposed: 'e\u0301',
  family: '👨‍👩‍👧‍👦',
  flag: '🇩🇪🇫🇷',
  skin: '👍🏽',
  variation: '❤️',
  arabic: 'مرحبا بالعالم',
  hebrew: 'שלום',
  marks: '\u200e\u200f\u202a\u202e\u2066\u2069',
  thai: 'สวัสดี',
  devanagari: 'नमस्ते',
  hangul: '한글 \u1112\u1161\u11ab',
  zalgo: 'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324',
  private: '\ue000\uf8ff\u{f0000}\u{10fffd}',
  noncharacters: '\ufffe\uffff\ufdd0\u{1ffff}\u{10ffff}',
  bom: '\ufeffx',
  replacement: '\ufffd',
  controls: '\u0001\u0007\u0008\u001b\u001f\u007f\u0085\u2028\u2029',
  zero: 'a\u200bb\u200cc\u200dd\u2060e',
  turkish: 'İıiI',
  sharp: 'Straße ẞ',
  sigma: 'Σσς',
  ligature: 'ﬁ',
  width: 'Ａａ',
  combining: '\u0308',
  musical: '𝄞𝕏𐀀',
  json: '{"a":"\\u0000"}',
  markup: '<script>alert(1)</script>&amp;',
  quotes: `'"\`\\%_--;/*`,
  percent: '%00%ff%2e%2e',
  format: '%s%n$(1+1){{7*7}}',
};

test('texts that look alike stay distinct, and only the exact one is found', async () => {
  await addRecords(
    world,
    'alice',
    'Letter',
    Object.entries(samples).map(([id, name]) => ({ objectId: `s-${id}`, name, body: name })),
  );
  for (const [id, name] of Object.entries(samples)) {
    const record = await getRecord(world, 'alice', 'Letter', `s-${id}`);
    assert.equal(record.name, name, id);
    const found = await select(world, 'alice', {
      from: { phyName: 'Letter', alias: 'l' },
      where: {
        expression: {
          source: '#l.name = ? AND #l.body = ? AND LENGTH(#l.name) = ?',
          params: [name, name, [...name].length],
        },
      },
    });
    assert.deepEqual(idsOf(found, 'l'), [`s-${id}`], id);
  }
});

test('text is ordered by code point, not by UTF-16 unit', async () => {
  const letters = [
    '',
    '\u0001',
    ' ',
    'A',
    'a',
    '\u007f',
    'ß',
    '\ud7ff',
    '\ue000',
    '\ufeff',
    '\uffee',
    '\uffff',
    '\u{10000}',
    '😀',
    '\u{10ffff}',
  ];
  await addRecords(
    world,
    'alice',
    'Letter',
    letters.map((name, index) => ({ objectId: `o${99 - index}`, name })),
  );
  const query = (type: string) =>
    select(world, 'alice', {
      from: { phyName: 'Letter', alias: 'l' },
      where: { expression: { source: "#l.objectId LIKE 'o__'", params: [] } },
      orderBy: [{ column: '#l.name', type }],
    });
  assert.deepEqual(
    (await query('ASC')).l?.map((record) => record.name),
    letters,
  );
  assert.deepEqual(
    (await query('DESC')).l?.map((record) => record.name),
    letters.toReversed(),
  );
});

/**
 * `objectId` takes printable characters (docs/reference/writing.md#adding); whether a joiner inside an emoji is
 * printable is left open.
 */
test('a text as an objectId', async () => {
  const texts = Object.entries(samples).filter(
    ([id]) =>
      !['family', 'controls', 'noncharacters', 'marks', 'zero', 'bom', 'private', 'combining', 'format'].includes(id),
  );
  await addRecords(
    world,
    'alice',
    'Letter',
    texts.map(([, text]) => ({ objectId: `k${text}`, name: 'key' })),
  );
  for (const [, text] of texts) {
    const record = await getRecord(world, 'alice', 'Letter', `k${text}`);
    assert.equal(record.objectId, `k${text}`);
  }
});
