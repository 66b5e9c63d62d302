/** A form that runs its work one at a time and shows errors; typed values stay. */
import { useState } from 'preact/hooks';
import { Refusal } from '../api.ts';
import type { ComponentChildren, VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { UnderWay } from './asked.ts';
import { Button, Note } from './basics.ts';
import { tell } from './toasts.ts';

interface FormProps {
  /** The text of the submit button. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  readonly onCancel?: () => void;
  /** @throws Refusal, which is displayed */
  readonly onSubmit: () => Promise<void>;
  readonly children?: ComponentChildren;
}

export function Form({
  action,
  isDangerous = false,
  disabled = false,
  onCancel,
  onSubmit,
  children,
}: FormProps): VNode {
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    try {
      await onSubmit();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return h(
    'form',
    { class: 'form', onSubmit: submit },
    children,
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    isBusy && h(UnderWay, { text: words().underWay(action) }),
    h(
      'div',
      { class: 'buttons' },
      onCancel && h(Button, { onClick: onCancel }, words().cancel),
      h(Button, { type: 'submit', kind: isDangerous ? 'dangerous' : 'main', disabled, busy: isBusy }, action),
    ),
  );
}

interface ChangeFormProps {
  readonly isNew: boolean;
  /** If false, the form only shows its values. */
  readonly mayChange: boolean;
  /** @throws Refusal, which is displayed */
  readonly save: () => Promise<void>;
  /** After it was saved. */
  readonly onDone: () => void;
  /** Loads the present values into the form, replacing typed ones. */
  readonly onReload?: (() => void) | undefined;
  readonly children?: ComponentChildren;
}

/**
 * A form that adds an entry or changes one. If someone else changed it meanwhile, the form offers the present values.
 */
export function ChangeForm({ isNew, mayChange, save, onDone, onReload, children }: ChangeFormProps): VNode {
  const [isStale, setStale] = useState(false);
  const submit = async () => {
    try {
      await save();
    } catch (error) {
      setStale(error instanceof Refusal && error.status === 409);
      throw error;
    }
    tell(words().saved);
    onDone();
  };
  if (!isNew && !mayChange) return h('fieldset', { class: 'form only-seen', disabled: true }, children);
  return h(
    Form,
    { action: isNew ? words().add : words().save, onSubmit: submit },
    isStale &&
      onReload &&
      h(Note, { tone: 'warning' }, words().changedMeanwhile, ' ', h(Button, { onClick: onReload }, words().reload)),
    children,
  );
}

/** The message for an error: the service's own, or that it could not be reached. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  return error.code === null ? words().noConnection : error.message;
}
