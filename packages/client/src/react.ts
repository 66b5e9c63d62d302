/** `@rowhouse/client/react`: hooks for answers, writes and the signed-in user. `Answers` stores the data that they
 * show. */

import type { ReactElement, ReactNode } from 'react';
import { createContext, createElement, useCallback, useContext, useRef, useState, useSyncExternalStore } from 'react';
import type { Answer, Answers } from './answers.ts';
import type { Entry } from './outbox/entry.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { Reading } from './reading.ts';
import type { User } from './user-session.ts';

export { type Answer, type Answers, type AnswersOptions, createAnswers } from './answers.ts';
export { queryOptions } from './tanstack.ts';

const Context = createContext<Answers | null>(null);

/** Provides the hooks below it with the result of `createAnswers`. */
export function AnswersProvider(props: { readonly answers: Answers; readonly children?: ReactNode }): ReactElement {
  return createElement(Context.Provider, { value: props.answers }, props.children);
}

function useAnswers(): Answers {
  const answers = useContext(Context);
  if (answers === null) throw new Error('Put <AnswersProvider answers={…}> around what uses the hooks.');
  return answers;
}

export interface QueryResult<Data> extends Answer<Data> {
  /** Reads from the service again. */
  refresh(): void;
}

/** The last answer to a reading, such as `db.task.reading({ … })`: requested when it is first shown, and again when it
 * may have changed. */
export function useQuery<Data>(reading: Reading<Data>): QueryResult<Data> {
  const answers = useAnswers();
  // biome-ignore lint/correctness/useExhaustiveDependencies: readings with equal keys are equal.
  const watch = useCallback((listener: () => void) => answers.watch(reading, listener), [answers, reading.key]);
  const current = () => answers.current(reading);
  const answer = useSyncExternalStore(watch, current, current);
  return { ...answer, refresh: () => answers.refresh(reading.tables) };
}

export interface Mutation<Input extends readonly unknown[], Result> {
  /** Runs the write, and also throws its errors. */
  run(...input: Input): Promise<Result>;
  readonly isRunning: boolean;
  /** The result of the last run; a conflict is a result, too. */
  readonly result: Result | undefined;
  readonly error: unknown;
  /** Forgets result and error. */
  reset(): void;
}

interface Run<Result> {
  readonly isRunning: boolean;
  readonly result: Result | undefined;
  readonly error: unknown;
}

const notRun = { isRunning: false, result: undefined, error: null };

/** A write by a component: `useMutation((task, changes) => db.task.update(task, changes))`. */
export function useMutation<Input extends readonly unknown[], Result>(
  mutate: (...input: Input) => Promise<Result>,
): Mutation<Input, Result> {
  const [state, setState] = useState<Run<Result>>(notRun);
  const runs = useRef(0);
  async function run(...input: Input): Promise<Result> {
    // Of concurrent runs, the last one is shown.
    const own = ++runs.current;
    const show = (next: Run<Result>) => {
      if (own === runs.current) setState(next);
    };
    show({ ...notRun, isRunning: true });
    try {
      const result = await mutate(...input);
      show({ ...notRun, result });
      return result;
    } catch (error) {
      show({ ...notRun, error });
      throw error;
    }
  }
  function reset(): void {
    runs.current++;
    setState(notRun);
  }
  return { ...state, run, reset };
}

/** The user of the app. */
export interface SessionState {
  /** Who is signed in, or was until the session ended: undefined until known, null for nobody. */
  readonly user: User | null | undefined;
  /** Whether requests are refused, and an outbox sends nothing, until someone signs in; false until known. */
  readonly mustSignIn: boolean;
}

/** The signed-in user, and whether the app has to offer a sign-in. */
export function useSession(): SessionState {
  const { session } = useAnswers();
  const read = async () => ({
    user: await session.user(),
    mustSignIn: (await session.current())?.token == null,
  });
  return useLatest(session, read) ?? notKnown;
}

const notKnown: SessionState = { user: undefined, mustSignIn: false };

const noEntries: readonly Entry[] = [];

/** The waiting entries of an outbox, in order; `held` has the reason why an entry was handed back. */
export function useOutbox(outbox: Pick<Outbox, 'entries' | 'onChange'>): readonly Entry[] {
  return useLatest(outbox, outbox.entries) ?? noEntries;
}

/** The last value that `read` gave; it is asked for again after each change, and stays the same object while it is the same JSON. */
function useLatest<Value>(
  source: { onChange(listener: () => void): () => void },
  read: () => Promise<Value>,
): Value | undefined {
  const known = useRef<Value>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `read` belongs to the source.
  const watch = useCallback(
    (listener: () => void) => {
      let reads = 0;
      const look = async () => {
        const own = ++reads;
        // What cannot be read stays as it is; calls of the session or outbox report why.
        const next = await read().catch(() => known.current);
        if (own !== reads || JSON.stringify(next) === JSON.stringify(known.current)) return;
        known.current = next;
        listener();
      };
      const end = source.onChange(() => void look());
      void look();
      return () => {
        reads++;
        end();
      };
    },
    [source],
  );
  const current = () => known.current;
  return useSyncExternalStore(watch, current, current);
}
