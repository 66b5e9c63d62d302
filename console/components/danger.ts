/**
 * A button for actions that can't be undone: it first says what would be lost, and requires the name if that is much.
 */
import { useState } from 'preact/hooks';
import type { ComponentChildren, VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { Button } from './basics.ts';
import { Dialog } from './dialog.ts';
import { TextField } from './fields.ts';
import { Form } from './form.ts';

interface DangerProps {
  readonly action: string;
  /** The object of the action, if the screen has several. */
  readonly to?: string;
  /** What would be lost. */
  readonly children: ComponentChildren;
  /** Must be typed in first. */
  readonly name?: string;
  /** @throws Refusal, which is displayed */
  readonly onConfirm: () => Promise<void>;
}

export function DangerButton({ action, to, children, name, onConfirm }: DangerProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const close = () => setOpen(false);
  return h(
    'span',
    null,
    h(
      Button,
      {
        kind: 'dangerous',
        onClick: () => setOpen(true),
        expanded: isOpen,
        ...(to !== undefined && { label: `${action}: ${to}` }),
      },
      action,
    ),
    isOpen &&
      h(
        Dialog,
        { title: action, onClose: close },
        h(
          Form,
          {
            action,
            isDangerous: true,
            disabled: name !== undefined && typed !== name,
            onCancel: close,
            onSubmit: async () => {
              await onConfirm();
              close();
            },
          },
          h('p', null, children),
          name !== undefined &&
            h(TextField, { label: words().typeName(name), value: typed, onInput: setTyped, autofocus: true }),
        ),
      ),
  );
}
