/** A long change of tables blocks no readers, and leaves nothing behind when it is killed or fails. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../src/errors.ts';
import type { Column, Index, SpaceDefinition } from '../../../src/schema/model.ts';
import { changeOf, column, openScratch, taskScratch, tasksIn } from '../scratch.ts';
import { storedRows } from '../stored.ts';
import { databaseOf, locksOf, untilSomebodyWaits } from './database.ts';

const due = column('due', { kind: 'datetime' });
const byDue: Index = { columns: ['due', 'title'], unique: false };

/** Data space 1, whose changes of tables are blocked at their end until `give`. */
async function heldSpace(test: TestContext) {
  const { scratch, connect } = await databaseOf(test);
  const first = await taskScratch(test, { place: scratch });
  await first.tasks.add([{ id: 'x', title: 'same' }]);
  const { promise: given, resolve: give } = Promise.withResolvers<void>();
  const { promise: held, resolve: holding } = Promise.withResolvers<void>();
  const connections = connect();
  const holder = connections.transaction('read committed', async (connection) => {
    await connection.query({ text: 'SELECT * FROM rowhouse_space_1._space FOR UPDATE' });
    holding();
    await given;
  });
  await held;
  scratch.closeFirst(give);
  return {
    ...first,
    async give() {
      give();
      await holder;
    },
    /** Resolves when the change has done all but its end. */
    untilAtItsEnd: () => untilSomebodyWaits(scratch),
  };
}

const change = (definition: SpaceDefinition, columns: readonly Column[], index: Index) =>
  changeOf(definition, {
    newColumns: [{ table: 'task', columns }],
    newIndexes: [{ table: 'task', indexes: [index] }],
  });

const columnsThere = async (place: Parameters<typeof storedRows>[0]) =>
  (
    await storedRows(
      place,
      `SELECT attname FROM pg_attribute WHERE attrelid = 'task'::regclass AND attnum > 0 AND NOT attisdropped`,
    )
  ).map(({ attname }) => attname);

test('while a column is added together with an index, records can be read, and the column is unknown', async (t) => {
  const { storage, tasks, scratch, give, untilAtItsEnd } = await heldSpace(t);
  const changed = storage.spaces.define(1, change(tasks.definition, [due], byDue));
  await untilAtItsEnd();
  const modes = await locksOf(scratch, 'task');
  assert.ok(modes.includes('ShareLock') && !modes.includes('AccessExclusiveLock'), modes.join());
  assert.ok((await tasks.get('x')) !== null);
  const other = await openScratch(t, { place: scratch });
  assert.deepEqual((await other.storage.spaces.definition(1)).tables, tasks.definition.tables);
  await give();
  const table = (await changed)?.tables.get('task');
  const [{ number: _, ...column }, { number: __, ...index }] = [table!.columns.at(-1)!, table!.indexes.at(-1)!];
  assert.deepEqual([column, index], [due, byDue]);
  await other.storage.spaces.refresh(1);
  assert.equal((await (await tasksIn(other.storage, 1)).add([{}])).kind, 'done');
});

test('a change of columns and indexes that fails leaves neither', async (t) => {
  const { storage, tasks, scratch } = await taskScratch(t);
  await tasks.add([{ title: 'same' }, { title: 'same' }]);
  const columns = await columnsThere(scratch);
  const refusals = [
    { index: { columns: ['title'], unique: true }, reason: 'malformed', message: /"task" on title can't be unique/ },
    { index: { columns: ['unheard'], unique: false }, reason: 'noTable', message: /./ },
  ];
  for (const { index, reason, message } of refusals) {
    await assert.rejects(storage.spaces.define(1, change(tasks.definition, [due], index)), (error) => {
      assert.ok(error instanceof ServiceError && error.reason === reason, String(error));
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(await columnsThere(scratch), columns);
  }
  assert.equal((await tasks.add([{}])).kind, 'done');
});
