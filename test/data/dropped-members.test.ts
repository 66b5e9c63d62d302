/** Unused parts of a batch are not kept in memory while the batch waits to be written. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { add } from '../../src/data/add.ts';
import { batchOf, type Operation, writeBatch } from '../../src/data/batch.ts';
import { remove } from '../../src/data/delete.ts';
import { update } from '../../src/data/update.ts';
import { caller, dataWorld } from './world.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** @returns which members of the item are still in memory while the batch waits */
async function keptOf(
  test: TestContext,
  operation: Operation,
  item: Record<string, unknown>,
  large: readonly string[],
) {
  const kept: string[] = [];
  const context = await dataWorld(test, (storage) => ({
    ...storage,
    spaces: {
      ...storage.spaces,
      async write(spaceId, batch) {
        // Objects created in a turn are kept until its end.
        await nextTurn();
        collect();
        for (const [name, value] of values) if (value.deref() !== undefined) kept.push(name);
        return storage.spaces.write(spaceId, batch);
      },
    },
  }));
  const values = new Map(large.map((name) => [name, addTo(item, name)]));
  await writeBatch(context, caller, batchOf(operation, { objectName: 'task', items: [item], strict: false })).catch(
    (error) => {
      assert.equal(error.reason, 130, `there is no such record, and nothing else is wrong: ${error.message}`);
    },
  );
  return kept;
}

function addTo(item: Record<string, unknown>, name: string): WeakRef<object> {
  const value = { of: name };
  item[name] = value;
  return new WeakRef(value);
}

/** Set by the service, so the sent values are not read. */
const ownColumns = ['createUserId', 'serverCreateTime', 'serverRecordStatus'];
const present = { objectId: 'a', serverUpdateTime: '2026-01-01T00:00:00Z' };

test('an add keeps no sent values of columns that the service sets', async (t) => {
  assert.deepEqual(await keptOf(t, add, { title: 'x' }, ownColumns), []);
});

test('an update does not keep them either', async (t) => {
  assert.deepEqual(await keptOf(t, update, { ...present, title: 'x' }, ownColumns), []);
});

test('a delete keeps only the id and the lock of an item', async (t) => {
  assert.deepEqual(await keptOf(t, remove, { ...present }, ['title', 'whatever']), []);
});
