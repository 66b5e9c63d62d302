/** Filters of a list. They are in the address, so that a filtered list can be shared; empty filters are omitted. */
import { useEffect, useId } from 'preact/hooks';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { changeQuery, place } from '../route.ts';
import { SelectField, TextField } from './fields.ts';
import { useTyped } from './typed.ts';

/** How long typing must pause before a filter is put into the address. */
const typingMs = 200;

/** The filters among these names that are set. */
export function filtersOf<Name extends string>(names: readonly Name[]): { readonly [Each in Name]?: string } {
  const { query } = place.value;
  const set = names.filter((name) => query[name] !== undefined && query[name] !== '');
  return Object.fromEntries(set.map((name) => [name, query[name]])) as { [Each in Name]?: string };
}

/** Changing a filter returns to the first page. */
function setFilter(name: string, value: string): void {
  changeQuery({ [name]: value, offset: '' });
}

/** The typed text, which becomes the filter once typing pauses. */
function useFilter(name: string): [typed: string, setTyped: (text: string) => void] {
  const set = place.value.query[name] ?? '';
  const [typed, setTyped] = useTyped(set);
  useEffect(() => {
    if (typed === set) return;
    const timer = setTimeout(() => setFilter(name, typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}

/** @param what is searched, for screen readers */
export function SearchFilter({ what }: { what: string }): VNode {
  const [typed, setTyped] = useFilter('search');
  return h('input', {
    class: 'input search',
    type: 'search',
    value: typed,
    placeholder: words().search,
    'aria-label': words().searchIn(what),
    onInput: ({ currentTarget }) => setTyped(currentTarget.value),
  });
}

export function TextFilter({ name, label }: { name: string; label: string }): VNode {
  const [typed, setTyped] = useFilter(name);
  return h(TextField, { label, value: typed, onInput: setTyped, autocomplete: 'off' });
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function ChoiceFilter({ name, label, options }: ChoiceProps): VNode {
  return h(SelectField<string>, {
    label,
    value: place.value.query[name] ?? '',
    options: [['', words().every], ...options],
    onChange: (value) => setFilter(name, value),
  });
}

/** The start and end of a period, as instants in the address, so that they mean the same in every time zone. */
export function PeriodFilter(): VNode {
  return h(
    'div',
    { class: 'toolbar' },
    h(TimeFilter, { name: 'from', label: words().from }),
    h(TimeFilter, { name: 'until', label: words().until }),
  );
}

function TimeFilter({ name, label }: { name: string; label: string }): VNode {
  const id = useId();
  const [typed, setTyped] = useFilter(name);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', {
      id,
      class: 'input',
      type: 'datetime-local',
      value: localTime(typed),
      onInput: ({ currentTarget }) => setTyped(instant(currentTarget.value)),
    }),
  );
}

function instant(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** The time in the format of a browser's field; '' for an invalid time. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
