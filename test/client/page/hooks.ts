/**
 * The hooks for React by themselves: what they show, when they read again, and when they stop. React renders them in its strict
 * mode, over event sources that the test controls, without a service.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { act, createElement, type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Answer, Answers } from '../../../packages/client/src/answers.ts';
import type { Entry } from '../../../packages/client/src/outbox/entry.ts';
import { AnswersProvider, useMutation, useOutbox, useQuery, useSession } from '../../../packages/client/src/react.ts';
import type { Reading } from '../../../packages/client/src/reading.ts';
import type { User } from '../../../packages/client/src/user-session.ts';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

/** A source of events that a test fires. */
function source() {
  const listeners = new Set<() => void>();
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const tell = () => act(async () => [...listeners].map((listener) => listener()));
  return { listeners, onChange, tell };
}

const person = { user: null as Partial<User> | null, token: null as string | null, ...source() };
const session = {
  user: async () => person.user as User | null,
  current: async () => person.user && { userId: '1', token: person.token },
  onChange: person.onChange,
};
const watches = new Map<string, ReturnType<typeof source>>();
const data = new Map<string, Answer<unknown>>();
const watchesOf = (key: string) => {
  const known = watches.get(key) ?? source();
  watches.set(key, known);
  return known;
};
const unread: Answer<never> = { data: undefined, readAt: null, error: null, isReading: true };
const answers: Answers = {
  session,
  current: ({ key }) => (data.get(key) ?? unread) as Answer<never>,
  watch: ({ key }, listener) => watchesOf(key).onChange(listener),
  refresh: () => {},
  close: () => {},
};
const readingOf = (key: string) => ({ key, tables: ['Task'] }) as unknown as Reading<string>;

async function render(use: () => unknown, isProvided = true) {
  const seen: unknown[] = [];
  const Shown = ({ text: _ }: { text: number }): ReactNode => {
    seen.push(use());
    return null;
  };
  const root = createRoot(document.createElement('div'));
  const draw = (text: number) => {
    const shown = createElement(Shown, { text });
    const tree = isProvided ? createElement(AnswersProvider, { answers }, shown) : shown;
    return act(async () => root.render(createElement(StrictMode, null, tree)));
  };
  await draw(0);
  return {
    last: () => seen.at(-1),
    count: () => seen.length,
    again: () => draw(seen.length),
    end: () => act(async () => root.unmount()),
  };
}

test('useQuery watches one reading as long as its key is the same, and ends with its component', async () => {
  let key = 'one';
  const shown = await render(() => useQuery(readingOf(key)).data);
  const log: unknown[] = [shown.last(), watchesOf('one').listeners.size];
  const before = [...watchesOf('one').listeners];
  await shown.again();
  log.push(before.every((listener) => watchesOf('one').listeners.has(listener)));
  data.set('one', { ...unread, data: 'first' });
  await watchesOf('one').tell();
  log.push(shown.last());
  data.set('two', { ...unread, data: 'second' });
  key = 'two';
  await shown.again();
  log.push(shown.last(), watchesOf('one').listeners.size, watchesOf('two').listeners.size);
  await shown.end();
  assert.deepEqual([...log, watchesOf('two').listeners.size], [undefined, 1, true, 'first', 'second', 0, 1, 0]);
});

test('useMutation shows the last of several runs, what it threw, and nothing after a reset', async () => {
  type Shown = ReturnType<typeof useMutation<[Promise<string>], string>>;
  const shown = await render(() => useMutation((given: Promise<string>) => given));
  const state = () => {
    const { isRunning, result, error } = shown.last() as Shown;
    return [isRunning, result ?? null, error instanceof Error ? error.message : error];
  };
  const run = (given: Promise<string>) => (shown.last() as Shown).run(given).catch(() => 'thrown');
  const [slow, quick] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const log: unknown[] = [state()];
  await act(async () => void run(slow.promise));
  await act(async () => void run(quick.promise));
  log.push(state());
  await act(async () => quick.resolve('quick'));
  log.push(state());
  await act(async () => slow.resolve('slow'));
  log.push(state());
  await act(async () => log.push(await run(Promise.reject(new Error('failed')))));
  log.push(state());
  await act(async () => (shown.last() as Shown).reset());
  assert.deepEqual(
    [...log, state()],
    [
      [false, null, null],
      [true, null, null],
      [false, 'quick', null],
      [false, 'quick', null],
      'thrown',
      [false, null, 'failed'],
      [false, null, null],
    ],
  );
});

test('useSession reports who is signed in and whether a sign-in is needed, and renders for nothing else', async () => {
  const alice = { userId: '1', firstName: 'Alice' };
  const shown = await render(useSession);
  const log: unknown[] = [shown.last()];
  Object.assign(person, { user: alice, token: 'token' });
  await person.tell();
  log.push(shown.last());
  const renders = shown.count();
  Object.assign(person, { token: 'another one' });
  await person.tell();
  log.push(shown.count() - renders);
  Object.assign(person, { token: null });
  await person.tell();
  log.push(shown.last());
  await shown.end();
  assert.deepEqual(
    [...log, person.listeners.size],
    [{ user: null, mustSignIn: true }, { user: alice, mustSignIn: false }, 0, { user: alice, mustSignIn: true }, 0],
  );
});

test('useOutbox shows the result of the latest read, even if an earlier one ends later', async () => {
  const reads: PromiseWithResolvers<Entry[]>[] = [];
  const { onChange, tell } = source();
  const entries = () => {
    reads.push(Promise.withResolvers<Entry[]>());
    return reads.at(-1)!.promise;
  };
  const outbox = { entries, onChange };
  const shown = await render(() => useOutbox(outbox).map(({ transactionId }) => transactionId));
  await tell();
  const [late, latest] = reads.slice(-2);
  await act(async () => latest?.resolve([{ transactionId: 'new' } as Entry]));
  await act(async () => late?.resolve([{ transactionId: 'old' } as Entry]));
  assert.deepEqual(shown.last(), ['new']);
});

test('without a provider the error says what to put around the component', async () => {
  await assert.rejects(render(useSession, false), /AnswersProvider/);
});
