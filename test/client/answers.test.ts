/**
 * The client's cached answers against a service: read once, updated, stored for offline use, separate for each user.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AnswersOptions, createAnswers } from '../../packages/client/src/answers.ts';
import { createClient } from '../../packages/client/src/client.ts';
import { NetworkError } from '../../packages/client/src/errors.ts';
import { createOutbox } from '../../packages/client/src/outbox/outbox.ts';
import { memoryStore } from '../../packages/client/src/outbox/store.ts';
import type { Reading } from '../../packages/client/src/reading.ts';
import { memoryStorage, type TextStorage } from '../../packages/client/src/storage.ts';
import { queryOptions } from '../../packages/client/src/tanstack.ts';
import type { User } from '../../packages/client/src/user-session.ts';
import { type Service, start, stop } from './service.ts';
import { tables } from './tables.ts';
import type { Tables } from './types.ts';

let service: Service<'alice'>;
before(async () => {
  service = await start({ people: ['alice'], tables });
});
after(() => stop(service));

/** A user who signs in and out by a call. */
function sessionOf(userId: string | null) {
  let listener = () => {};
  const user = (id: string) => ({ userId: id }) as User;
  let present = userId;
  return {
    current: async () => (present === null ? null : { userId: present, token: service.people.alice.token }),
    token: async () => service.people.alice.token,
    refused: async () => null,
    user: async () => (present === null ? null : user(present)),
    onChange: (heard: () => void) => {
      listener = heard;
      return () => {};
    },
    become(id: string | null) {
      present = id;
      listener();
    },
  };
}

/** An app that shows readings; `net.isOn` is its connection. */
function appOf({ hasOutbox = false, ...options }: Partial<AnswersOptions> & { readonly hasOutbox?: boolean } = {}) {
  const net = { isOn: true, hasSelects: true, selects: 0 };
  const session = sessionOf('1');
  const outbox = hasOutbox ? createOutbox({ session, store: memoryStore() }) : undefined;
  const client = createClient<Tables>({
    ...service.place,
    session: service.people.alice.token,
    commit: outbox?.connect,
    fetch: async (input, init) => {
      const isSelect = String(input).includes('/select/');
      if (!net.isOn || (isSelect && !net.hasSelects)) throw new TypeError('fetch failed');
      if (isSelect) net.selects++;
      return fetch(input, init);
    },
    attemptsMax: 1,
  });
  const answers = createAnswers(client, { session, outbox, ...options });
  return { ...client, net, session, outbox, answers };
}

/** Long enough for any machine: only a test that fails waits for it. */
const lateMs = 20_000;

/** Resolves when the state of the reading is as wanted. @throws AssertionError with what is known, when that takes too long */
function until<Data>(
  { answers }: Pick<ReturnType<typeof appOf>, 'answers'>,
  reading: Reading<Data>,
  isWanted: (answer: ReturnType<typeof answers.current<Data>>) => boolean,
): Promise<ReturnType<typeof answers.current<Data>>> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      end();
      reject(
        new assert.AssertionError({
          message: 'The answer did not become as wanted.',
          actual: answers.current(reading),
        }),
      );
    }, lateMs);
    const look = () => {
      const answer = answers.current(reading);
      if (!isWanted(answer)) return;
      clearTimeout(late);
      queueMicrotask(() => end());
      resolve(answer);
    };
    const end = answers.watch(reading, look);
    look();
  });
}

const done = ({ isReading }: { isReading: boolean }) => !isReading;
const titles = (rows: readonly { title: string }[] | undefined) => rows?.map(({ title }) => title).sort();

test('readings with equal keys are read once, and name the tables that they depend on', async () => {
  const { db, net, answers } = appOf();
  const make = () => db.Book.leftJoin('a', 'Author', (b, { a }) => b.author.eq(a.objectId)).reading({});
  assert.deepEqual(make().tables, ['Book', 'Author']);
  await Promise.all([make(), make()].map((reading) => until({ answers }, reading, done)));
  assert.equal(net.selects, 1);
});

test('a write of this client is shown at once, and then read from the service', async () => {
  const shown = appOf();
  const { db, answers } = shown;
  const reading = db.Book.reading({ where: (b) => b.year.eq(1), includes: ({ year }) => year === 1 });
  const seen: unknown[] = [];
  const end = answers.watch(reading, () => seen.push(titles(answers.current(reading).data)));
  await until(shown, reading, done);
  seen.length = 0;
  const book = await db.Book.add({ title: 'One', year: 1, scopeType: 1 });
  assert.deepEqual(seen[0], ['One'], 'before the service was asked');
  const read = await until(shown, reading, done);
  assert.equal(read.data?.[0]?.serverUpdateTime, book.serverUpdateTime);
  assert.ok((await db.Book.update(book, { year: 2 })).ok);
  assert.deepEqual(answers.current(reading).data, []);
  end();
});

test('waiting writes of an outbox are shown, whatever the service answers, until dropped or done', async () => {
  const shown = appOf({ hasOutbox: true });
  const { db, net, outbox, answers } = shown;
  assert.ok(outbox !== undefined);
  const book = await db.Book.add({ title: 'As it was', year: 3, scopeType: 1 });
  await outbox.flush();
  const reading = db.Book.reading({ where: (b) => b.year.eq(3) });
  const seen: unknown[] = [];
  const end = answers.watch(reading, () => seen.push(titles(answers.current(reading).data)));
  const [read] = (await until(shown, reading, done)).data ?? [];
  assert.ok(read !== undefined);
  net.isOn = false;
  seen.length = 0;
  const changed = await db.Book.update(read, { title: 'Changed' });
  assert.ok(changed.ok && changed.isQueued);
  await db.Book.update(changed.record, { title: 'Changed twice' });
  await outbox.flush();
  assert.deepEqual(titles(answers.current(reading).data), ['Changed twice']);

  net.isOn = true;
  answers.refresh();
  assert.deepEqual(titles((await until(shown, reading, done)).data), ['Changed twice']);
  await outbox.flush();
  await until(
    shown,
    reading,
    ({ data, isReading }) => !isReading && data?.[0]?.serverUpdateTime.startsWith('2') === true,
  );
  assert.deepEqual(titles(answers.current(reading).data), ['Changed twice']);
  assert.ok(!seen.some((one) => String(one) === 'As it was'), String(seen));
  assert.equal((await db.Book.get(book.objectId))?.title, 'Changed twice');

  const [newest] = answers.current(reading).data ?? [];
  assert.ok(newest !== undefined);
  await db.Book.update(newest, { title: 'x'.repeat(201) });
  await outbox.flush();
  const [held] = await outbox.entries();
  assert.equal(held?.held?.reason, 'refused');
  await outbox.drop(held?.transactionId ?? '');
  await until(shown, reading, ({ data, isReading }) => !isReading && data?.[0]?.title === 'Changed twice');
  end();
  await outbox.close();
});

test('the outbox is read once for all readings and for all changes that arrive meanwhile', async () => {
  let [reads, tell] = [0, () => {}];
  const outbox: AnswersOptions['outbox'] = {
    async waiting() {
      reads++;
      return [];
    },
    onChange(listener) {
      tell = listener;
      return () => {};
    },
  };
  const shown = appOf({ outbox });
  const readings = [1, 2, 3].map((year) => shown.db.Book.reading({ where: (b) => b.year.eq(year) }));
  await Promise.all(readings.map((reading) => until(shown, reading, done)));
  reads = 0;
  for (let changes = 0; changes < 10; changes++) tell();
  // A timer fires only after all pending microtasks.
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(reads, 2);
});

test('answers are stored for a start without a connection, and for no other user', async () => {
  const memory = memoryStorage();
  let awaited = { name: '', resolve: () => {} };
  const storage: TextStorage = {
    ...memory,
    setItem(key, text) {
      memory.setItem(key, text);
      if (text.includes(awaited.name)) awaited.resolve();
    },
  };
  const keptWith = (name: string) => new Promise<void>((resolve) => (awaited = { name, resolve }));
  const first = appOf({ storage });
  const make = ({ db }: typeof first) => db.Author.reading({ includes: () => true });
  const endFirst = first.answers.watch(make(first), () => {});
  const { data, readAt } = await until(first, make(first), done);
  assert.deepEqual(data, []);
  first.net.hasSelects = false;
  const isKept = keptWith('Lem');
  await first.db.Author.add({ name: 'Lem', scopeType: 1 });
  await isKept;
  endFirst();

  const second = appOf({ storage });
  second.net.isOn = false;
  const offline = await until(second, make(second), done);
  assert.deepEqual([offline.data?.map(({ name }) => name), offline.readAt], [['Lem'], readAt]);
  assert.ok(offline.error instanceof NetworkError);

  const end = second.answers.watch(make(second), () => {});
  second.session.become('2');
  const others = await until(second, make(second), (answer) => answer.data === undefined && !answer.isReading);
  assert.ok(others.error instanceof NetworkError);
  second.session.become('1');
  await until(second, make(second), (answer) => answer.data !== undefined && !answer.isReading);
  second.session.become(null);
  await until(second, make(second), (answer) => answer.data === undefined && !answer.isReading);
  second.session.become('1');
  assert.equal((await until(second, make(second), done)).data, undefined, 'a sign-out removes what was kept');
  end();
});

test('answers are shown while the outbox and the stored sign-in cannot be read', async () => {
  const fault = async () => {
    throw new Error('closed');
  };
  let tell = () => {};
  const onChange = (heard: () => void) => {
    tell = heard;
    return () => {};
  };
  const session = { ...sessionOf('1'), user: fault };
  const shown = appOf({ session, outbox: { waiting: fault, onChange } });
  const reading = shown.db.Book.reading({ limit: 1 });
  const end = shown.answers.watch(reading, () => {});
  const { data, error } = await until(shown, reading, done);
  tell();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([data !== undefined, error], [true, null]);
  end();
});

test('a waiting put by other columns is shown once the service has its record', async () => {
  const shown = appOf({ hasOutbox: true });
  const { db, net, outbox, answers } = shown;
  const name = 'Strugatsky';
  await db.Author.add({ name, scopeType: 1 });
  await outbox?.flush();
  const reading = db.Author.reading({ where: (a) => a.name.eq(name), includes: (row) => row.name === name });
  const end = answers.watch(reading, () => {});
  await until(shown, reading, done);
  net.isOn = false;
  await db.Author.put({ name, scopeType: 2 }, { by: ['name'] });
  await outbox?.flush();
  assert.equal(answers.current(reading).data?.length, 1);
  end();
  await outbox?.close();
});

test('a reading is also a query for TanStack', async () => {
  const { db } = appOf();
  const reading = db.Book.reading({ where: (b) => b.year.eq(1986) });
  const { queryKey, queryFn, meta } = queryOptions(reading);
  assert.deepEqual([queryKey, meta.tables], [['rowhouse', reading.key], ['Book']]);
  const elsewhere = createClient<Tables>({ ...service.place, companyId: 2, session: '' });
  assert.ok(elsewhere.db.Book.reading().key !== db.Book.reading().key, 'tenants share no answers');
  assert.deepEqual(await queryFn({ signal: new AbortController().signal }), []);
  await assert.rejects(queryFn({ signal: AbortSignal.abort(new Error('gone')) }), /gone/);
});
