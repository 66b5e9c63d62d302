/**
 * The client's outbox under faults of the app and of the clock, and with answers that do not come from the service. The
 * service is simulated.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../../packages/client/src/client.ts';
import { NetworkError } from '../../../packages/client/src/errors.ts';
import { createOutbox, type OutboxOptions } from '../../../packages/client/src/outbox/outbox.ts';
import { memoryStore, type OutboxStore } from '../../../packages/client/src/outbox/store.ts';
import type { Write } from '../../../packages/client/src/writes.ts';

const place = { url: 'https://service.example', companyId: 1, appId: 'a', appVersion: '1.0.0' };

interface Item {
  readonly objectId?: string;
  readonly serverUpdateTime?: string;
  readonly title?: string;
}
type Carried = readonly { readonly op: string; readonly data: readonly Item[] }[];

/** A client with an outbox; `service.answer` replaces the answers to batches. */
function open({ store = memoryStore(), ...options }: Partial<OutboxOptions> & { readonly store?: OutboxStore } = {}) {
  const service = {
    answer: null as ((items: readonly Item[]) => Response) | null,
    /** The items of each batch. */
    sent: [] as Item[][],
    tokens: [] as (string | undefined)[],
  };
  let writes = 0;
  const present = { token: 'old' };
  const session = {
    current: async () => ({ userId: '1', token: present.token }),
    async token() {
      present.token = 'new';
      return present.token;
    },
    refused: async () => null,
    refresh: async () => '',
    onChange: () => () => {},
  };
  const outbox = createOutbox({ session, store, ...options });
  const fetch = async (input: unknown, { body, headers }: RequestInit = {}) => {
    service.tokens.push((headers as Record<string, string>)['service-token']);
    if (!String(input).endsWith('/batch')) {
      return Response.json(
        { errCode: 0, results: { historyDays: 30 } },
        { headers: { date: new Date().toUTCString() } },
      );
    }
    const items = (JSON.parse(String(body)).operations as Carried).flatMap(({ data }) => data);
    service.sent.push(items);
    const objectId = (item: Item) => item.objectId ?? 'found by its columns';
    const results = items.map((item) => ({ objectId: objectId(item), serverUpdateTime: `time ${++writes}` }));
    return service.answer?.(items) ?? Response.json({ errCode: 0, results });
  };
  const client = createClient({ ...place, session, fetch, wait: async () => {}, commit: outbox.connect });
  return { ...client, outbox, store, service };
}

let ids = 0;
const add = (objectId: string, title = ''): Write => ({
  op: 'add',
  table: 'Job',
  values: { objectId, title },
  base: null,
});
const batchOf = (...writes: Write[]) => ({ transactionId: `hazard ${++ids}`, writes });
const failure = (errCode: number, status: number, headers = {}) =>
  Response.json(
    { errCode, description: 'title: not this one', results: [{ objectId: 'a', errCode }] },
    { status, headers },
  );
const refusedIf = (title: string) => (items: readonly Item[]) => {
  return items.some((item) => item.title === title) ? failure(131, 400) : (undefined as never);
};

/** The unhandled rejections during the work, which do not fail the test. */
async function unhandledDuring(work: () => Promise<void>): Promise<Set<unknown>> {
  const reasons = new Set<unknown>();
  const event = 'unhandledRejection';
  const others = process.listeners(event);
  process.removeAllListeners(event).on(event, (reason) => reasons.add((reason as Error).message));
  await work();
  // They are reported after the microtasks.
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners(event);
  for (const other of others) process.on(event, other);
  return reasons;
}

test('an entry can be dropped or sent again at the moment when it is handed back', async () => {
  for (const act of ['drop', 'retry'] as const) {
    const settlings: Promise<void>[] = [];
    const { commit, outbox, service } = open({
      onHeld: ({ transactionId }) => {
        settlings.push(act === 'drop' ? outbox.drop(transactionId) : outbox.retry(transactionId, [add('b', 'good')]));
      },
    });
    service.answer = refusedIf('bad');
    await commit(batchOf(add('a', 'bad')));
    await outbox.flush();
    await Promise.all(settlings);
    await outbox.flush();
    assert.deepEqual([settlings.length, await outbox.entries()], [1, []]);
    assert.equal(service.sent.length, act === 'drop' ? 1 : 2);
  }
});

test('an entry that is appended while a run ends is sent by another run', async () => {
  for (let steps = 0; steps < 60; steps++) {
    const { commit, outbox, store } = open();
    await commit(batchOf(add('a')));
    const [entry] = await store.entries();
    await outbox.flush();
    const running = outbox.flush();
    for (let step = 0; step < steps; step++) await null;
    void store.append({ ...entry!, transactionId: 'late' });
    await outbox.flush();
    assert.deepEqual(await store.entries(), [], `after ${steps} steps`);
    await running;
  }
});

test('setting the clock back ends the pauses that the service has requested', async ({ mock }) => {
  for (const [code, status] of [
    [212, 503],
    [131, 507],
  ] as const) {
    const { commit, outbox, service } = open();
    mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0) });
    service.answer = () => failure(code, status, { 'retry-after': '5' });
    await commit(batchOf(add('a')));
    await outbox.flush();
    mock.timers.reset();
    service.answer = null;
    await outbox.flush();
    assert.deepEqual([service.sent.length, await outbox.entries()], [2, []], String(code));
  }
});

test('what listeners throw is reported, and neither stops a write nor makes it fail', async () => {
  const fault = (name: string) => () => {
    throw new Error(name);
  };
  const client = open({ onSettled: fault('onSettled'), onHeld: fault('onHeld') });
  const { commit, outbox, service } = client;
  const outcomes: boolean[] = [];
  const reported = await unhandledDuring(async () => {
    service.answer = refusedIf('bad');
    client.onChange(fault('client'));
    outbox.onChange(fault('outbox'));
    for (const title of ['good', 'bad', 'better']) {
      const { ok } = await commit(batchOf(add(title, title))).catch(() => ({ ok: false }));
      outcomes.push(ok);
    }
    await outbox.flush();
  });
  const held = (await outbox.entries()).map((entry) => entry.held?.reason);
  assert.deepEqual([outcomes, held], [[true, true, true], ['refused']]);
  assert.deepEqual(reported, new Set(['client', 'outbox', 'onSettled', 'onHeld']));
});

test('a put by other columns gets the lock of the waiting write that it is based on, and keeps its position', async () => {
  const { commit, outbox, service } = open();
  const put = (title: string, base: Write['base']): Write => ({
    op: 'put',
    table: 'Job',
    by: ['k'],
    values: { k: 1, title },
    base,
  });
  const first = await commit(batchOf(add('a')));
  assert.ok(first.ok);
  const pending = { objectId: 'a', serverUpdateTime: String(first.results[0]?.serverUpdateTime) };
  await commit(batchOf(put('put', pending)));
  await outbox.flush();
  assert.deepEqual(
    service.sent.map(([item]) => item?.serverUpdateTime),
    [undefined, 'time 1'],
  );
  // By the id of its base, which is not among its values.
  const read = { objectId: 'a', serverUpdateTime: 'time 2', k: 1 };
  service.answer = (items) => (items[0]?.title === 'put' ? failure(210, 500) : (undefined as never));
  const sent = service.sent.length;
  await commit(batchOf(put('put', read)));
  await commit(batchOf({ op: 'delete', table: 'Job', values: { objectId: 'a' }, base: read }));
  await outbox.flush();
  assert.deepEqual(new Set(service.sent.slice(sent).map(([item]) => item?.title)), new Set(['put']));
  assert.equal((await outbox.entries()).length, 2);
});

test('a put waits for a blocked write of the record that its columns find, before or after that write', async () => {
  const { commit, outbox, service } = open();
  const read = { objectId: 'a', serverUpdateTime: 'time 1', k: 1 };
  service.answer = (items) => (items[0]?.objectId === 'a' ? failure(210, 500) : (undefined as never));
  await commit(batchOf({ op: 'delete', table: 'Job', values: { objectId: 'a' }, base: read }));
  await commit(batchOf({ op: 'put', table: 'Job', by: ['k'], values: { k: 1 }, base: null }));
  await outbox.flush();
  assert.ok(service.sent.length > 0 && service.sent.every(([item]) => item?.objectId === 'a'));
});

test('JSON that does not belong to the batch confirms nothing', async () => {
  for (const json of [{}, [], null, { results: [] }, { errCode: 0 }, { results: 'a' }]) {
    const { commit, outbox, service } = open();
    service.answer = () => Response.json(json);
    await commit(batchOf(add('a'), add('b')));
    await outbox.flush();
    assert.equal((await outbox.entries()).length, 1, JSON.stringify(json));
    const options = { ...place, session: 'token', wait: async () => {}, attemptsMax: 1 };
    const direct = createClient({ ...options, fetch: async () => Response.json(json) });
    const batch = batchOf(add('a'), add('b'));
    await assert.rejects(direct.commit(batch), (error) => error instanceof NetworkError && error.batch === batch);
  }
});

test('a program that only writes through its outbox has its token replaced in time', async () => {
  const { commit, outbox, service } = open();
  await commit(batchOf(add('a')));
  await outbox.flush();
  assert.deepEqual(new Set(service.tokens), new Set(['new']));
});

test('closing does not wait for the turn of another tab, and nothing is sent after it', async () => {
  let begin = () => {};
  const exclusive = <Result>(work: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      begin = () => void work().then(resolve, reject);
    });
  const { commit, outbox, service } = open({ store: { ...memoryStore(), exclusive } });
  await commit(batchOf(add('a')));
  const flushed = outbox.flush();
  const late = new Promise((resolve) => setImmediate(resolve, 'late'));
  assert.equal(await Promise.race([outbox.close().then(() => 'closed'), late]), 'closed');
  begin();
  await flushed;
  assert.deepEqual(service.tokens, []);
});
