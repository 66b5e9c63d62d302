/**
 * A dialog above the screen: the browser's own, which keeps the focus inside and then returns it to the element that
 * opened it. Escape closes it.
 */
import { useEffect, useId, useRef } from 'preact/hooks';
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { Button } from './basics.ts';
import { Icon } from './icon.ts';
import { Named } from './named.ts';

interface DialogProps {
  readonly title: string;
  readonly shape?: 'wide' | 'drawer';
  /** Null if it can't be closed before an action is completed. */
  readonly onClose: (() => void) | null;
  readonly children?: ComponentChildren;
}

export function Dialog({ title, shape, onClose, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current as HTMLDialogElement;
    const opener = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      // The browser returns the focus only while the dialog is still part of the page.
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return h(
    'dialog',
    {
      ref: element,
      class: classes('fades-in', shape),
      'aria-labelledby': id,
      onCancel: (event) => {
        event.preventDefault();
        onClose?.();
      },
    },
    h(
      'div',
      { class: 'dialog-inside' },
      h(
        'div',
        { class: 'dialog-head' },
        h('h2', { id }, title),
        onClose && h(Button, { kind: 'plain', onClick: onClose, label: words().close }, h(Icon, { name: 'close' })),
      ),
      h(Named.Provider, { value: title }, children),
    ),
  );
}
