/** What every store of an outbox guarantees, as a test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewEntry, OutboxStore } from '../../packages/client/src/outbox/store.ts';

export const entryOf = (transactionId: string): NewEntry => {
  const writes = [{ op: 'add' as const, table: 'Job', values: { objectId: transactionId, title: 'ä\n"' }, base: null }];
  return { transactionId, prefix: 'https://service.example/api/1/a/1', userId: '7', writes, tried: null, held: null };
};

/** @param open the store with what it held when it was closed; empty at first */
export function testStore(name: string, open: () => Promise<OutboxStore>): void {
  test(`${name}: entries in order, changed together, also after reopening`, async () => {
    let store = await open();
    await Promise.all(['a', 'b', 'c', 'a'].map((id) => store.append(entryOf(id))));
    const [a, b, c] = await store.entries();
    assert.deepEqual(
      [a, b, c].map((entry) => ({ ...entry, sequence: 0 })),
      ['a', 'b', 'c'].map((id) => ({ ...entryOf(id), sequence: 0 })),
    );
    assert.ok(a && b && c && a.sequence < b.sequence && b.sequence < c.sequence);
    assert.deepEqual(await store.entries(a.sequence), [b, c]);
    const held = { ...b, held: { reason: 'base lost' as const } };
    const settled = { transactionId: 'a', locks: { 'Job/a': '2026-01-31T10:00:11.000+00:00' }, at: Date.now() };
    await store.change({ put: [held], remove: [a.sequence], settled: [settled] });
    await store.close();
    store = await open();
    assert.deepEqual(await store.entries(), [held, c]);
    assert.deepEqual([await store.settled('a'), await store.settled('b')], [settled, null]);
    await store.append(entryOf('d'));
    assert.equal((await store.entries(c.sequence))[0]?.transactionId, 'd');
    await store.close();
  });
}
