/** Records of the client against a service: each write has its lock, and writes of other clients are never lost. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Changed } from '../../packages/client/src/changes.ts';
import { type Client, createClient } from '../../packages/client/src/client.ts';
import { Invalid, SignInRequired } from '../../packages/client/src/errors.ts';
import { type Service, start, stop } from './service.ts';
import { tables } from './tables.ts';
import type { BookRow, Tables } from './types.ts';

let service: Service<'alice'>;
let client: Client<Tables>;

before(async () => {
  service = await start({ people: ['alice'], tables });
  client = createClient<Tables>({ ...service.place, session: service.people.alice.token });
});
after(() => stop(service));

test('a forgotten token is refused by the service', async () => {
  const { db } = createClient<Tables>({ ...service.place, session: undefined as unknown as string });
  await assert.rejects(db.Book.count(), SignInRequired);
});

test('a record is added under an id of the client, changed and deleted, and listeners are called', async () => {
  const { db } = client;
  const heard: Changed[] = [];
  const end = client.onChange((changed) => heard.push(changed));
  const added = await db.Book.add({ title: 'Solaris', copies: '7', scopeType: 1 });
  assert.match(added.objectId, /^Book_[0-9a-f]{32}$/);
  const unnamed = await db.Book.add({ objectId: undefined, title: 'Unnamed', scopeType: 1 } as never);
  assert.match(unnamed.objectId, /^Book_[0-9a-f]{32}$/);
  const read = await db.Book.get(added.objectId);
  assert.equal(read?.serverUpdateTime, added.serverUpdateTime);
  const first = await db.Book.update(added, { year: 1961 });
  assert.ok(first.ok);
  const second = await db.Book.update(first.record, { price: '9.5' });
  assert.ok(second.ok);
  const now = await db.Book.get(added.objectId);
  assert.deepEqual([now?.title, now?.year, now?.price], ['Solaris', 1961, '9.50']);
  assert.ok((await db.Book.delete(second.record)).ok);
  assert.equal(await db.Book.get(added.objectId), null);
  end();
  await db.Book.add({ title: 'Nobody hears of it', scopeType: 1 });
  const told = heard.flatMap(({ changes }) => changes.map(({ table, record }) => [table, record?.price ?? null]));
  assert.deepEqual(told, [
    ['Book', null],
    ['Book', null],
    ['Book', null],
    ['Book', '9.5'],
    ['Book', null],
  ]);
});

test('a conflict is a result with mine, theirs and base, which can be resolved', async () => {
  const { db } = client;
  const base = await db.Book.add({ title: 'Eden', year: 1959, scopeType: 1 });
  assert.ok((await db.Book.update(base, { title: 'Éden' })).ok);
  const result = await db.Book.update(base, { year: 1960 });
  assert.ok(!result.ok);
  const { mine, theirs } = result.conflict;
  assert.deepEqual([mine?.year, mine?.title, theirs?.year, theirs?.title], [1960, 'Eden', 1959, 'Éden']);
  assert.deepEqual(result.conflict.base, base);
  const settled = await db.Book.update(theirs as BookRow, { year: 1960 });
  assert.ok(settled.ok && settled.record.title === 'Éden');
  const late = await db.Book.delete(base);
  assert.ok(!late.ok && late.conflict.mine === null && late.conflict.theirs?.year === 1960);
});

test('a put adds or updates, and conflicts if the record exists and no lock was sent', async () => {
  const { db } = client;
  const added = await db.Author.put({ name: 'Lem', scopeType: 1 }, { by: ['name'] });
  assert.ok(added.ok && added.record.outcome === 'added');
  const again = await db.Author.put({ name: 'Lem', scopeType: 1 }, { by: ['name'] });
  assert.ok(!again.ok && again.conflict.theirs?.objectId === added.record.objectId);
  const updated = await db.Author.put({ name: 'Lem', born: '1921-09-12' }, { by: ['name'], base: added.record });
  assert.ok(updated.ok && updated.record.outcome === 'updated');
  assert.equal(updated.record.objectId, added.record.objectId);
});

test('a batch of several tables is written completely or not at all', async () => {
  const { db } = client;
  const done = await client.batch((to) => {
    const author = to.Author.add({ name: 'Strugatsky', scopeType: 1 });
    to.Book.add({ objectId: 'picnic', title: 'Picnic', author, scopeType: 1 });
    to.Book.add({ objectId: 'hill', title: 'Hill', author, scopeType: 1 });
  });
  assert.ok(done.ok && done.results?.length === 3);
  const picnic = await db.Book.get('picnic');
  assert.equal((await db.Author.get(String(picnic?.author)))?.name, 'Strugatsky');
  const wrong = client.batch((to) => {
    to.Book.update(picnic as BookRow, { year: 1972 });
    to.Author.add({ name: 'Strugatsky', scopeType: 1 });
  });
  await assert.rejects(wrong, (error) => error instanceof Invalid && error.code === 131);
  assert.equal((await db.Book.get('picnic'))?.year, null);
  assert.deepEqual(await client.batch(() => {}), { ok: true, results: [], isQueued: false });
});
