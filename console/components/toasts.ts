/**
 * Short messages on completed actions, announced politely to screen readers. They stay until closed, or until five more
 * have come.
 */
import { signal } from '@preact/signals';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { Button, Note, type Tone } from './basics.ts';
import { Icon } from './icon.ts';

interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  /** Undoes the action. */
  readonly undo?: () => void;
}

const shown = signal<readonly Toast[]>([]);
const shownMax = 5;
const staysMs = 8_000;
let count = 0;

export function tell(
  text: string,
  { tone = 'good', undo }: { readonly tone?: Tone; readonly undo?: () => void } = {},
): void {
  const toast: Toast = { id: count++, tone, text, ...(undo && { undo }) };
  shown.value = [...shown.value, toast].slice(-shownMax);
  // Errors, and actions that can be undone, must be read first.
  if (tone === 'good' && undo === undefined) setTimeout(() => forget(toast.id), staysMs);
}

function forget(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}

function takeBack(id: number, undo: () => void): void {
  forget(id);
  undo();
}

export function Toasts(): VNode {
  return h(
    'div',
    { class: 'toasts', role: 'status', 'aria-live': 'polite' },
    shown.value.map(({ id, tone, text, undo }) =>
      h(
        Note,
        { tone, key: id },
        text,
        ' ',
        undo && h(Button, { onClick: () => takeBack(id, undo) }, words().undo),
        h(Button, { kind: 'plain', onClick: () => forget(id), label: words().close }, h(Icon, { name: 'close' })),
      ),
    ),
  );
}

/** Copies text to the clipboard; shows it if the browser refuses. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(words().copied);
  } catch {
    tell(text, { tone: 'warning' });
  }
}
