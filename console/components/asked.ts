/**
 * Data that a screen requests from the service. An older answer stays visible while a newer one is requested, and
 * "loading" appears only after 150 ms, so that quick answers cause no flicker.
 */
import { type Signal, signal } from '@preact/signals';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { Button, Note } from './basics.ts';
import { messageOf } from './form.ts';
import { Named } from './named.ts';

export interface Asked<Value> {
  /** Null before the first answer. */
  readonly value: Value | null;
  readonly error: unknown;
  /** Whether a request is under way. */
  readonly isAsking: boolean;
  readonly again: () => void;
}

/** @param by requested again when one of these changes; nothing is requested while one is `null` */
export function useAsked<Value>(ask: (signal: AbortSignal) => Promise<Value>, by: readonly unknown[]): Asked<Value> {
  const state: Signal<Omit<Asked<Value>, 'again'>> = useMemo(
    () => signal({ value: null, error: null, isAsking: true }),
    [],
  );
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (by.includes(null)) return;
    const controller = new AbortController();
    state.value = { ...state.peek(), isAsking: true };
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) state.value = { value, error: null, isAsking: false };
      },
      (error: unknown) => {
        if (!controller.signal.aborted) state.value = { ...state.peek(), error, isAsking: false };
      },
    );
    return () => controller.abort();
  }, [...by, turn]);
  return { ...state.value, again: () => setTurn(turn + 1) };
}

const patienceMs = 150;

/** Draws the answer, or why there is none. */
export function Shown<Value>({
  asked,
  children,
}: {
  asked: Asked<Value>;
  children: (value: Value) => VNode | null;
}): VNode {
  const { value, error, isAsking, again } = asked;
  return h(
    'div',
    { class: 'form', 'aria-busy': isAsking },
    error !== null && h(Problem, { error, again }),
    value !== null ? children(value) : error === null && h(Waiting, {}),
  );
}

/** Explains why there is no answer, with a button to try again unless access was denied. */
export function Problem({ error, again }: { error: unknown; again: () => void }): VNode {
  if (error instanceof Refusal && error.status === 403) return h(Note, {}, messageOf(error));
  return h(Note, { tone: 'wrong' }, messageOf(error), ' ', h(Button, { onClick: again }, words().tryAgain));
}

/** Marks the enclosing screen or dialog as loading. */
export function Waiting(): VNode {
  return h(UnderWay, { text: words().loading(useContext(Named)) });
}

/** Says what is loading, once that takes long. */
export function UnderWay({ text }: { text: string }): VNode | null {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLong ? h('p', { class: 'quiet', role: 'status' }, text) : null;
}
