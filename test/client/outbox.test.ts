/**
 * The outbox of the client against a service: entries are kept, sent once and in order, and handed back if the app must
 * decide.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '../../packages/client/src/client.ts';
import { SignInRequired } from '../../packages/client/src/errors.ts';
import type { Entry } from '../../packages/client/src/outbox/entry.ts';
import { createOutbox, type Outbox } from '../../packages/client/src/outbox/outbox.ts';
import { type AnyRecord, readRecord, type Write } from '../../packages/client/src/writes.ts';
import { type Service, start, stop } from './service.ts';
import { openStore } from './store.ts';

type Who = 'alice' | 'bob';

let service: Service<Who>;
const outboxes: Outbox[] = [];
before(async () => {
  const columns = [
    { colName: 'title', type: 'varchar', fieldLength: 100 },
    { colName: 'amount', type: 'long' },
    { colName: 'parent', type: 'varchar', fieldLength: 100 },
  ];
  service = await start({ people: ['alice', 'bob'], tables: [{ name: 'Job', columns }] });
});
after(async () => {
  for (const outbox of outboxes) await outbox.close();
  await stop(service);
});

let names = 0;
const newName = (what: string) => `${what}-${++names}`;

type Fetch = typeof fetch;
/** Not `fetch` itself, which browsers refuse as a method of another object. */
const online: Fetch = (input, init) => fetch(input, init);

/** A client with an outbox, whose network and user the test controls. @param name of an existing store */
async function open(name = newName('outbox')) {
  const store = await openStore(name);
  const hand = {
    who: 'alice' as Who | null,
    /** Replaces the network. */
    fetch: online,
    bodies: [] as string[],
    held: [] as Entry[],
    token: (who: Who): string | null => service.people[who].token,
  };
  const session = {
    current: async () => hand.who && { userId: service.people[hand.who].userId, token: hand.token(hand.who) },
    token: async () => (hand.who === null ? '' : (hand.token(hand.who) ?? '')),
    refused: async () => null,
    refresh: async () => '',
    onChange: () => () => {},
  };
  const outbox = createOutbox({ session, store, onHeld: (entry) => hand.held.push(entry) });
  outboxes.push(outbox);
  const client = createClient({
    ...{ ...service.place, session, commit: outbox.connect },
    fetch: (input, init) => {
      if (String(input).endsWith('/batch')) hand.bodies.push(String(init?.body));
      return hand.fetch(input, init);
    },
  });
  return { ...client, outbox, store, name, hand };
}

const offline: Fetch = async () => {
  throw new TypeError('fetch failed');
};
/** Requests reach the service, but every answer to a batch is lost. */
const deaf: Fetch = async (input, init) => {
  const response = await fetch(input, init);
  return String(input).endsWith('/batch') ? offline(input, init) : response;
};
/** No batch reaches the service. */
const mute: Fetch = (input, init) => (String(input).endsWith('/batch') ? offline : online)(input, init);
const atTime =
  (ms: number): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const headers = { ...Object.fromEntries(response.headers), date: new Date(Date.now() + ms).toUTCString() };
    return new Response(await response.text(), { status: response.status, headers });
  };
const days = 86_400_000;

const add = (objectId: string, values: object = {}): Write => {
  return { op: 'add', table: 'Job', values: { objectId, scopeType: 2, ...values }, base: null };
};
const change = (base: Write['base'], values: object): Write => {
  return { op: 'update', table: 'Job', values: { objectId: base?.objectId, ...values }, base };
};

type Opened = Awaited<ReturnType<typeof open>>;

async function put({ commit }: Opened, ...writes: Write[]) {
  const transactionId = newName('of the outbox');
  const outcome = await commit({ transactionId, writes });
  assert.ok(outcome.ok && outcome.isQueued);
  const records = writes.map(({ base, values }, index) => ({ ...base, ...values, ...outcome.results[index] }));
  return { transactionId, record: records[0]! };
}

const read = ({ transport }: Opened, id: string) => readRecord(transport, 'Job', id);
const waiting = async ({ outbox }: Opened) => (await outbox.entries()).map(({ transactionId }) => transactionId);

test('writes of one record wait while nothing can be sent, and are then made in order', async () => {
  const client = await open();
  client.hand.fetch = offline;
  const id = newName('job');
  const { record } = await put(client, add(id, { title: 'one', amount: 2n ** 60n }));
  const { record: second } = await put(client, change(record, { title: 'two' }));
  await put(client, change(second, { amount: 3 }));
  await client.outbox.flush();
  assert.equal((await waiting(client)).length, 3);
  const [seen] = await client.outbox.pending('Job', [] as AnyRecord[]);
  assert.deepEqual([seen?.title, seen?.amount], ['two', 3]);
  client.hand.fetch = online;
  const changes: unknown[] = [];
  client.onChange(({ changes: [change] }) => changes.push(change?.record?.title));
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), []);
  const stored = await read(client, id);
  assert.deepEqual([stored?.title, stored?.amount], ['two', '3']);
  assert.deepEqual(changes, ['one', 'two', 'two']);
});

test('after a lost answer and a restart, the same bytes are sent again, and the entry counts as done', async () => {
  const first = await open();
  first.hand.fetch = deaf;
  const id = newName('job');
  const { record } = await put(first, add(id));
  await first.outbox.flush();
  const { transactionId } = await put(first, change(record, { title: 'once' }));
  await first.outbox.flush();
  await first.outbox.close();
  const again = await open(first.name);
  await again.outbox.flush();
  assert.deepEqual(await waiting(again), []);
  assert.equal(again.hand.bodies[0], first.hand.bodies[0]);
  assert.equal((await read(again, id))?.title, 'once');
  assert.deepEqual(again.hand.held, []);
  assert.ok(again.hand.bodies[1]?.includes(transactionId));
});

test('a body made by an earlier version of the client is sent unchanged', async () => {
  const client = await open();
  client.hand.fetch = mute;
  await put(client, add(newName('job')), add(newName('job')));
  await client.outbox.flush();
  const [entry] = await client.outbox.entries();
  const { body, at } = entry!.tried!;
  const apart = body.operations.flatMap((operation) => operation.data.map((item) => ({ ...operation, data: [item] })));
  const other = { ...body, transactionId: newName('of another version'), operations: apart };
  client.hand.fetch = online;
  await client.transport.send('batch', { body: other });
  await client.store.change({ put: [{ ...entry!, transactionId: other.transactionId, tried: { at, body: other } }] });
  await client.outbox.flush();
  assert.deepEqual([await waiting(client), client.hand.held], [[], []]);
});

test('a conflict is handed back with both versions; entries based on it wait, others continue', async () => {
  const client = await open();
  const id = newName('job');
  await put(client, add(id, { title: 'base' }));
  await client.outbox.flush();
  const base = await read(client, id);
  client.hand.fetch = offline;
  const { transactionId, record } = await put(client, change(base, { title: 'mine' }));
  const { transactionId: later } = await put(client, change(record, { amount: 5 }));
  const { transactionId: child } = await put(client, add(newName('job'), { parent: id }));
  const other = newName('job');
  await put(client, add(other));
  const elsewhere = await open();
  await put(elsewhere, change(base, { title: 'theirs' }));
  await elsewhere.outbox.flush();
  client.hand.fetch = online;
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [transactionId, later, child]);
  assert.ok(await read(client, other));
  const [{ held } = {}] = client.hand.held;
  assert.ok(held?.reason === 'conflict');
  const { mine, theirs } = held.conflict;
  assert.deepEqual([mine?.title, theirs?.title, held.conflict.base?.title], ['mine', 'theirs', 'base']);
  await client.outbox.retry(transactionId, [change(theirs, { title: 'both' })]);
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), []);
  const stored = await read(client, id);
  assert.deepEqual([stored?.title, stored?.amount], ['both', '5']);
});

test('of two changes of one version one is a conflict, even on the same device', async () => {
  const client = await open();
  const id = newName('job');
  await put(client, add(id));
  await client.outbox.flush();
  const base = await read(client, id);
  await put(client, change(base, { amount: 1 }));
  await put(client, change(base, { amount: 2 }));
  await client.outbox.flush();
  assert.equal((await read(client, id))?.amount, '1');
  assert.equal(client.hand.held[0]?.held?.reason, 'conflict');
});

test('a refused entry is handed back; dropping it also hands back entries based on it', async () => {
  const client = await open();
  const { transactionId, record } = await put(client, add(newName('job'), { amount: 'many' }));
  const { transactionId: later } = await put(client, change(record, { amount: 1 }));
  const other = newName('job');
  await put(client, add(other));
  await client.outbox.flush();
  const { held } = client.hand.held[0] ?? {};
  assert.ok(held?.reason === 'refused');
  assert.deepEqual([held.code, held.field], [131, 'operations[0].data[0].amount']);
  assert.ok(await read(client, other));
  await client.outbox.drop(transactionId);
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [later]);
  assert.equal(client.hand.held[1]?.held?.reason, 'base lost');
  await assert.rejects(client.outbox.drop(transactionId), /was handed back/);
});

test('an entry that was never sent may have any age; one that was tried too long ago is handed back', async () => {
  const client = await open();
  client.hand.fetch = deaf;
  const { transactionId } = await put(client, add(newName('job')));
  await client.outbox.flush();
  client.hand.fetch = offline;
  await client.outbox.flush();
  const id = newName('job');
  await put(client, add(id));
  await client.outbox.close();
  const later = await open(client.name);
  later.hand.fetch = atTime(100 * days);
  await later.outbox.flush();
  assert.deepEqual(await waiting(later), [transactionId]);
  assert.equal(later.hand.held[0]?.held?.reason, 'expired');
  assert.equal(later.hand.bodies.length, 1);
  assert.ok(await read(later, id));
  const sooner = await open();
  sooner.hand.fetch = deaf;
  await put(sooner, add(newName('job')));
  await sooner.outbox.flush();
  sooner.hand.fetch = atTime(80 * days);
  await sooner.outbox.flush();
  assert.deepEqual(await waiting(sooner), []);
});

test('an entry is sent as the user who wrote it, and nobody else', async () => {
  const client = await open();
  client.hand.fetch = offline;
  const id = newName('job');
  await put(client, add(id, { scopeType: 1 }));
  await client.outbox.flush();
  client.hand.fetch = online;
  client.hand.who = 'bob';
  await client.outbox.flush();
  assert.deepEqual([await waiting(client), await client.outbox.entries()], [[], []]);
  const own = newName('job');
  await put(client, add(own, { scopeType: 1 }));
  await client.outbox.flush();
  assert.equal(await read(client, id), null);
  assert.ok(await read(client, own));
  client.hand.who = null;
  await assert.rejects(client.commit({ transactionId: newName('t'), writes: [add(newName('job'))] }), SignInRequired);
  client.hand.who = 'alice';
  await client.outbox.flush();
  assert.equal((await read(client, id))?.createUserId, service.people.alice.userId);
});

test('without a valid session everything waits', async () => {
  const client = await open();
  client.hand.token = () => '0'.repeat(64);
  const id = newName('job');
  const { transactionId } = await put(client, add(id));
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [transactionId]);
  assert.deepEqual(client.hand.held, []);
  client.hand.token = (who) => service.people[who].token;
  await client.outbox.flush();
  assert.ok(await read(client, id));
});

test('after a fault of the service an entry is sent later, and a page from elsewhere is not an answer', async () => {
  const client = await open();
  const [bad, good] = [newName('bad'), newName('job')];
  const fault = { errCode: 210, status: 'error', description: 'A fault.' };
  client.hand.fetch = async (input, init) =>
    String(init?.body).includes(bad) ? Response.json(fault, { status: 500 }) : fetch(input, init);
  const { transactionId } = await put(client, add(bad));
  await put(client, add(good));
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [transactionId]);
  assert.ok(await read(client, good));
  client.hand.fetch = async () => new Response('<h1>Sign in to this Wi-Fi</h1>');
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [transactionId]);
  client.hand.fetch = online;
  await client.outbox.flush();
  assert.ok(await read(client, bad));
  assert.deepEqual(client.hand.held, []);
});

const answer = (errCode: number, status: number, headers: Record<string, string> = {}) =>
  Response.json({ errCode, status: 'error', description: 'not now' }, { status, headers });
const wait60 = { 'retry-after': '60' };
/** Answers batches that contain the text itself. */
const toBatchesWith =
  (text: string, own: () => Response): Fetch =>
  (input, init) =>
    String(init?.body).includes(text) ? Promise.resolve(own()) : fetch(input, init);

test('a quota or a filter on the way delays only its own entry; a batch that is too large is handed back', async () => {
  const client = await open();
  const [full, good] = [newName('full'), newName('job')];
  client.hand.fetch = toBatchesWith(full, () => answer(131, 403, wait60));
  const { transactionId } = await put(client, add(full));
  await put(client, add(good));
  await client.outbox.flush();
  assert.deepEqual(await waiting(client), [transactionId]);
  assert.ok(await read(client, good));
  const { length } = client.hand.bodies;
  await client.outbox.flush();
  assert.equal(client.hand.bodies.length, length, 'it rests as long as the service asked');
  for (const [status, isHeld] of [
    [403, false],
    [413, true],
  ] as const) {
    const other = await open();
    const [bad, next] = [newName('bad'), newName('job')];
    other.hand.fetch = toBatchesWith(bad, () => new Response('<h1>No</h1>', { status }));
    await put(other, add(bad));
    await put(other, add(next));
    await other.outbox.flush();
    assert.ok(await read(other, next));
    assert.deepEqual(
      (await other.outbox.entries()).map(({ held }) => held?.reason),
      [isHeld ? 'refused' : undefined],
    );
  }
});

test('a service that asks for a pause gets it, however much is written meanwhile', async () => {
  const client = await open();
  client.hand.fetch = (input, init) => (init?.body ? Promise.resolve(answer(212, 503, wait60)) : fetch(input, init));
  await put(client, add(newName('job')));
  await client.outbox.flush();
  for (let count = 0; count < 10; count++) await put(client, add(newName('job')));
  await client.outbox.flush();
  assert.equal(client.hand.bodies.length, 1);
});

test('a pause of zero is handled like any failure, and a pause of years ends within an hour', async ({ mock }) => {
  const { mock: timers } = mock.method(globalThis, 'setTimeout');
  for (const retryAfter of ['0', '1000000000']) {
    const client = await open();
    const busy = { 'retry-after': retryAfter };
    client.hand.fetch = (input, init) => (init?.body ? Promise.resolve(answer(212, 503, busy)) : fetch(input, init));
    await put(client, add(newName('job')));
    await client.outbox.flush();
    const ms = Number(timers.calls.at(-1)?.arguments[1]);
    assert.ok(ms > 400 && ms <= 3_600_000, `${retryAfter}: ${ms}`);
  }
});

test('puts that find a record by a key stay in order', async () => {
  const client = await open();
  const title = newName('key');
  const put1 = (amount: number): Write => {
    return { op: 'put', table: 'Job', by: ['title'], values: { title, scopeType: 2, amount }, base: null };
  };
  client.hand.fetch = toBatchesWith('"amount":1', () => answer(210, 500));
  await put(client, put1(1));
  await put(client, put1(2));
  await client.outbox.flush();
  assert.ok(client.hand.bodies.every((body) => body.includes('"amount":1')));
  assert.equal((await waiting(client)).length, 2);
});

test('the body is stored before its first byte is sent, and each run sends it once', async ({ mock }) => {
  const client = await open();
  await client.outbox.flush();
  const { mock: runs } = mock.method(client.store, 'exclusive');
  const kept: unknown[] = [];
  client.hand.fetch = async (input, init) => {
    if (!init?.body) return fetch(input, init);
    const [entry] = await client.store.entries();
    kept.push(JSON.stringify(entry?.tried?.body) === init.body);
    return offline(input, init);
  };
  await put(client, add(newName('job')));
  await client.outbox.flush();
  assert.deepEqual(
    kept,
    runs.calls.map(() => true),
  );
});
