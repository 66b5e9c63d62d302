/** Fields of forms. Each has a visible label; its hint and error are associated with it. */
import { useId } from 'preact/hooks';
import type { ComponentChildren, VNode } from '../h.ts';
import { classes, h } from '../h.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly fault?: string | null;
}

interface TextProps extends FieldProps {
  readonly name?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'number' | 'email';
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autocomplete?: string;
  readonly isCode?: boolean;
  readonly rows?: number;
  readonly autofocus?: boolean;
  readonly placeholder?: string;
  readonly isWide?: boolean;
}

export function TextField(props: TextProps): VNode {
  const { label, hint, fault, value, onInput, type = 'text', isCode = false, rows } = props;
  const id = useId();
  const { name, required, maxLength, autocomplete, autofocus, placeholder, isWide = false } = props;
  const given = Object.fromEntries(
    Object.entries({ name, required, maxLength, autocomplete, autofocus, placeholder }).filter(
      ([, each]) => each !== undefined,
    ),
  );
  const shared = {
    id,
    class: classes('input', isCode && 'code'),
    value,
    'aria-invalid': fault != null,
    'aria-describedby': `${id}-about`,
    spellcheck: !isCode && rows !== undefined,
    ...given,
  };
  return h(
    'div',
    { class: classes('field', isWide && 'wide') },
    h('label', { for: id }, label),
    rows === undefined
      ? h('input', { ...shared, type, onInput: ({ currentTarget }) => onInput(currentTarget.value) })
      : h('textarea', { ...shared, rows, onInput: ({ currentTarget }) => onInput(currentTarget.value) }),
    h(About, { id, hint, fault: fault ?? null }),
  );
}

interface SelectProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}

export function SelectField<Value extends string>({
  label,
  hint,
  fault,
  value,
  options,
  onChange,
}: SelectProps<Value>): VNode {
  const id = useId();
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h(
      'select',
      {
        id,
        class: 'input',
        value,
        'aria-describedby': `${id}-about`,
        onChange: ({ currentTarget }) => onChange(currentTarget.value as Value),
      },
      options.map(([each, text]) => h('option', { value: each, key: each }, text)),
    ),
    h(About, { id, hint, fault: fault ?? null }),
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: FieldProps & { readonly checked: boolean; readonly onChange: (checked: boolean) => void }): VNode {
  const id = useId();
  return h(
    'div',
    { class: 'field' },
    h(
      'div',
      { class: 'check' },
      h('input', {
        id,
        type: 'checkbox',
        checked,
        'aria-describedby': `${id}-about`,
        onChange: ({ currentTarget }) => onChange(currentTarget.checked),
      }),
      h('label', { for: id }, label),
    ),
    h(About, { id, hint, fault: null }),
  );
}

interface CheckListProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly options: readonly (readonly [value: number, text: string])[];
  readonly chosen: readonly number[];
  readonly onChange: (chosen: readonly number[]) => void;
}

/** A choice of any number of options. */
export function CheckList({ label, hint, options, chosen, onChange }: CheckListProps): VNode {
  return h(
    'fieldset',
    { class: 'field check-list' },
    h('legend', null, label),
    hint !== undefined && h('div', { class: 'hint' }, hint),
    h(
      'div',
      { class: 'check-list-options' },
      options.map(([value, text]) =>
        h(CheckField, {
          key: value,
          label: text,
          checked: chosen.includes(value),
          onChange: (is) => onChange(is ? [...chosen, value] : chosen.filter((each) => each !== value)),
        }),
      ),
    ),
  );
}

function About({ id, hint, fault }: { id: string; hint: ComponentChildren; fault: string | null }): VNode {
  return h(
    'div',
    { id: `${id}-about` },
    fault !== null && h('div', { class: 'fault' }, fault),
    hint !== undefined && h('div', { class: 'hint' }, hint),
  );
}
