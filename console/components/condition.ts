/**
 * A condition in the expression language: a native text field, so that every input method works. It shows errors while
 * typing, and offers column names.
 */
import { useEffect, useId, useState } from 'preact/hooks';
import type { Fault } from '../checker.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { alias, type TableDescription } from '../records.ts';

interface ConditionProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly table: TableDescription;
  readonly tables: readonly TableDescription[];
}

/** How long typing must pause before the text is checked. */
const typingMs = 250;

type Check = (where: string) => Fault | null;

export function ConditionField({ label, value, onInput, table, tables }: ConditionProps): VNode {
  const id = useId();
  const [check, setCheck] = useState<Check | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  useEffect(() => {
    let isHere = true;
    const begin = ({ definitionOf, faultOf }: typeof import('../checker.ts')) => {
      const definition = definitionOf(tables);
      if (isHere) setCheck(() => (where: string) => faultOf(definition, { table: table.name, where, sort: '' }));
    };
    // Without it, the service reports errors when the condition is sent.
    import('../checker.ts').then(begin, () => {});
    return () => {
      isHere = false;
    };
  }, [tables, table]);
  useEffect(() => {
    const timer = setTimeout(() => setFault(value.trim() === '' ? null : (check?.(value) ?? null)), typingMs);
    return () => clearTimeout(timer);
  }, [value, check]);
  const place = fault?.at == null ? '' : words().records.atCharacter(fault.at + 1);
  const field = {
    id,
    class: 'input code',
    value,
    list: `${id}-columns`,
    placeholder: `#${alias}.title LIKE 'A%'`,
    spellcheck: false,
    autoComplete: 'off',
    'aria-invalid': fault !== null,
    'aria-describedby': `${id}-fault`,
  };
  return h(
    'div',
    { class: 'field wide' },
    h('label', { for: id }, label),
    h('input', { ...field, onInput: ({ currentTarget }) => onInput(currentTarget.value) }),
    h(
      'datalist',
      { id: `${id}-columns` },
      offered(value, table).map((text) => h('option', { value: text, key: text })),
    ),
    h('div', { class: 'fault', id: `${id}-fault`, role: 'status' }, fault !== null && `${place}${fault.message}`),
  );
}

const offeredMax = 20;

/** The condition, completed with each column whose name has the prefix at its end. */
function offered(value: string, { columns }: TableDescription): readonly string[] {
  const begun = new RegExp(`#${alias}\\.(\\w*)$`).exec(value);
  const start = (begun?.[1] ?? '').toLowerCase();
  const before = value.slice(0, value.length - (begun?.[0].length ?? 0));
  if (begun === null && value !== '') return [];
  return columns
    .filter(({ colName }) => colName.toLowerCase().startsWith(start))
    .slice(0, offeredMax)
    .map(({ colName }) => `${before}#${alias}.${colName} `);
}
