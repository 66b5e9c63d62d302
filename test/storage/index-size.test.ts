/** The size limit of index entries (`schema/index-entry.ts`): the same on both engines, to the byte. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { audienceOf, groupIdsText, membersOf } from '../../src/schema/audience.ts';
import { indexEntryBytesMax } from '../../src/schema/index-entry.ts';
import type { StoredValue } from '../../src/schema/model.ts';
import type { AddItem, Change, UpdateItem, WriteOutcome } from '../../src/storage/contract.ts';
import {
  change,
  changeOf,
  column,
  defineTables,
  failuresOf,
  itemsOf,
  openScratch,
  someone,
  start,
  tableOf,
} from './scratch.ts';

const varchar = { kind: 'varchar', length: 600 } as const;
const table = tableOf(
  'paper',
  [column('title', varchar), column('place', varchar), column('number', { kind: 'long' }), column('free', varchar)],
  [
    { columns: ['title', 'number', 'place'], unique: false },
    { columns: ['place'], unique: true },
  ],
);
/** Head, audience, objectId, two texts; and a number. */
const fixed = 4 * 8 + 24;

let state = 1;
/** Incompressible text of this many bytes in UTF-8. */
function noise(bytes: number): string {
  let text = 'x'.repeat(bytes % 3);
  while (text.length < (bytes % 3) + Math.floor(bytes / 3)) {
    state = (state * 48_271) % 2_147_483_647;
    text += String.fromCharCode(0x4e00 + (state % 20_000));
  }
  return text;
}

async function papers(test: TestContext) {
  const { storage } = await openScratch(test);
  await storage.spaces.create(1);
  const definition = await defineTables(storage, 1, [table]);
  function write(written: Change): Promise<WriteOutcome> {
    return storage.spaces.write(1, {
      ...someone,
      definitionVersion: definition.version,
      members: membersOf(7, [1, 3]),
      refused: false,
      changes: [{ table: 'paper', ...written }],
    });
  }
  return {
    storage,
    definition,
    add: (...items: AddItem[]) => write({ operation: 'add', items }),
    update: (...items: UpdateItem[]) => write({ operation: 'update', items }),
  };
}

interface Paper {
  readonly title?: string;
  readonly place?: string;
  readonly free?: string;
  readonly groupIds?: readonly number[];
}

function paper(objectId: string, { title, place, free, groupIds = [] }: Paper): AddItem {
  const scopeType = groupIds.length === 0 ? 3 : 2;
  const system: StoredValue[] = [null, '1', '2', null, null, 1, scopeType, groupIdsText(groupIds), 7n];
  const values = [...system, title ?? null, place ?? null, 5n, free ?? null];
  return { objectId, generated: false, audience: audienceOf(scopeType, groupIds, 7), values };
}

const tooLarge = (bytes: number, columns = ['title', 'number', 'place']) => ({
  reason: 'indexTooLarge',
  columns,
  bytes,
});

test('an added entry is accepted up to the bound, and refused one byte above it', async (t) => {
  const { add } = await papers(t);
  const freeBytes = indexEntryBytesMax - fixed - 'a'.length - 2;
  itemsOf(await add(paper('p1', { title: noise(1_800), place: noise(freeBytes - 1_800), free: noise(1_800) })));
  const outcome = await add(
    paper('p2', { title: noise(600) }),
    paper('p3', { title: noise(1_800), place: noise(freeBytes - 1_800 + 1) }),
  );
  assert.deepEqual(failuresOf(outcome), [null, tooLarge(indexEntryBytesMax + 1)]);
  const longId = '😀'.repeat(200);
  assert.deepEqual(failuresOf(await add(paper(longId, { title: noise(freeBytes + 2 - 800 + 1) }))), [
    tooLarge(indexEntryBytesMax + 1),
  ]);
  itemsOf(await add(paper(longId, { title: noise(freeBytes + 2 - 800) })));
});

test('groups count as well', async (t) => {
  const { add } = await papers(t);
  const groupIds = Array.from({ length: 150 }, (_, index) => 1_000_000_000_000 + index * 7_919);
  const audience = 150 * 14;
  const freeBytes = indexEntryBytesMax - fixed - audience - 2;
  itemsOf(await add(paper('g1', { groupIds, title: noise(freeBytes) })));
  assert.deepEqual(failuresOf(await add(paper('g2', { groupIds, title: noise(freeBytes + 1) }))), [
    tooLarge(indexEntryBytesMax + 1),
  ]);
  const many = Array.from({ length: 190 }, (_, index) => 1_000_000_000_000 + index);
  assert.deepEqual(failuresOf(await add(paper('g3', { groupIds: many }))), [tooLarge(16 + 32 + 190 * 14 + 2, [])]);
});

test('an update is checked by sent and stored values, and only if it changes an index', async (t) => {
  const { add, update } = await papers(t);
  const freeBytes = indexEntryBytesMax - fixed - 'a'.length - 2;
  itemsOf(await add(...['u1', 'u2', 'u3'].map((id) => paper(id, { title: noise(1_500) }))));
  const larger = await update(
    change('u1', start, { place: noise(freeBytes - 1_500 + 1) }),
    change('u2', start, { place: noise(10) }),
  );
  assert.deepEqual(failuresOf(larger), [tooLarge(indexEntryBytesMax + 1), null]);
  assert.deepEqual(failuresOf(await update(change('u1', start, { place: noise(freeBytes - 1_500 + 1) }))), [
    tooLarge(indexEntryBytesMax + 1),
  ]);
  itemsOf(await update(change('u1', start, { place: noise(freeBytes - 1_500) })));
  itemsOf(await update(change('u1', start + 1, { free: noise(1_800), number: 6n })));
  const exchanged = { title: noise(100), place: noise(1_790), scopeType: 3, groupIds: null };
  itemsOf(await update(change('u2', start, exchanged)));
  const groups = (count: number) => Array.from({ length: count }, (_, index) => 100 + index);
  const forGroups = (count: number) => ({ scopeType: 2, groupIds: groupIdsText(groups(count)) });
  const left = freeBytes + 1 - 1_500;
  const most = Math.floor(left / 4);
  itemsOf(await update(change('u3', start, forGroups(most))));
  const seenByAll = (id: string, base: number, count: number) => change(id, base, forGroups(count));
  itemsOf(await add(paper('u4', { title: noise(1_500) })));
  assert.deepEqual(failuresOf(await update(seenByAll('u4', start, most + 1))), [
    tooLarge(fixed + 4 * (most + 1) + 2 + 1_500),
  ]);
});

test('an index for which records are too long is not created, but others are', async (t) => {
  const { storage, add, definition } = await papers(t);
  itemsOf(await add(paper('d1', { title: noise(1_790), free: noise(1_790) })));
  const index = { table: 'paper', indexes: [{ columns: ['free', 'title'], unique: false }] };
  const defining = storage.spaces.define(1, changeOf(definition, { newIndexes: [index] }));
  await assert.rejects(defining, /the index of "paper" on free, title can't be made.* 2688 bytes fit/);
  const fitting = { table: 'paper', indexes: [{ columns: ['free', 'number'], unique: false }] };
  assert.ok(await storage.spaces.define(1, changeOf(definition, { newIndexes: [fitting] })));
});

test('the bound leaves space for the overhead of values, whatever their types', async (t) => {
  const { storage } = await openScratch(t);
  await storage.spaces.create(1);
  const kinds = [
    { kind: 'bool' },
    varchar,
    { kind: 'decimal', precision: 18, scale: 1 },
    varchar,
    { kind: 'double' },
    varchar,
    { kind: 'decimal', precision: 18, scale: 17 },
    varchar,
  ] as const;
  const columns = kinds.map((kind, index) => column(`c${index}`, kind));
  const index = { columns: columns.map(({ name }) => name), unique: false };
  const { version } = await defineTables(storage, 1, [tableOf('mixed', columns, [index])]);
  const decimal = 123_456_789_012_345_678n;
  const add = (objectId: string, last: number) => {
    const system: StoredValue[] = [null, '1', '2', null, null, 1, 3, null, 7n];
    const values = [...system, true, noise(601), decimal, noise(599), 1.5, noise(603), decimal, noise(last)];
    return storage.spaces.write(1, {
      ...someone,
      definitionVersion: version,
      members: [],
      refused: false,
      changes: [{ table: 'mixed', operation: 'add', items: [{ objectId, generated: false, audience: 'a', values }] }],
    });
  };
  const freeBytes = indexEntryBytesMax - (6 * 8 + 4 * 24) - 'a'.length - 2 - (601 + 599 + 603);
  itemsOf(await add('m1', freeBytes));
  assert.deepEqual(failuresOf(await add('m2', freeBytes + 1)), [tooLarge(indexEntryBytesMax + 1, index.columns)]);
});
