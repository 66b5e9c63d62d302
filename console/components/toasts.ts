/** Short messages on what was done, told politely to those who listen. They stay until they are closed or five more came. */
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
  /** Takes back what was done. */
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
  // What can be undone, or went wrong, has to be read first.
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

/** Text for elsewhere; shown where the browser refuses it. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(words().copied);
  } catch {
    tell(text, { tone: 'warning' });
  }
}
