/**
 * The value of a cell while it is edited. Enter, Tab and a click elsewhere keep the typed text; Tab also moves to the
 * next cell, and Escape restores the value. Text that does not fit the column stays in the editor, with the reason.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { VNode } from '../h.ts';
import { classes, h } from '../h.ts';
import { words } from '../preferences.ts';
import { type ColumnDescription, isText, type Row, shown } from '../records.ts';
import type { Editing } from './grid.ts';

interface CellEditorProps {
  readonly column: ColumnDescription;
  readonly row: Row;
  readonly editing: Editing;
  /** @param by 1 to move to the next cell, -1 to the previous one */
  readonly onEnd: (cell: HTMLTableCellElement, by: -1 | 0 | 1) => void;
}

export function CellEditor({ column, row, editing, onEnd }: CellEditorProps): VNode {
  const id = useId();
  const value = row[column.colName];
  const before = shown(value);
  const field = useRef<HTMLElement>(null);
  const isOver = useRef(false);
  const [typed, setTyped] = useState(before);
  const [fault, setFault] = useState<string | null>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    if (field.current instanceof HTMLTextAreaElement) field.current.select();
  }, []);
  const end = (by: -1 | 0 | 1) => {
    isOver.current = true;
    onEnd(field.current?.closest('td') as HTMLTableCellElement, by);
  };
  const keep = (by: -1 | 0 | 1) => {
    if (isOver.current) return;
    const text = typed === '' && !isText(column) ? null : typed;
    const found = text === null ? requiredFault(column) : editing.faultOf(column, text);
    setFault(found);
    if (found !== null) return;
    if (typed !== before) editing.save(row, column, text);
    end(by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    // An input method uses Enter and Escape itself.
    if (event.isComposing) return;
    if (event.key === 'Escape') end(0);
    else if (event.key === 'Enter' && !event.shiftKey) keep(0);
    else if (event.key === 'Tab') keep(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const shared = {
    class: classes('input', !isText(column) && 'code'),
    value: typed,
    'aria-label': column.colName,
    'aria-invalid': fault !== null,
    'aria-describedby': id,
    onKeyDown,
    onBlur: () => keep(0),
  };
  const options = ['', 'true', 'false'].map((each) =>
    h('option', { value: each, key: each }, each || words().records.null),
  );
  return h(
    'div',
    null,
    column.type === 'bool'
      ? h(
          'select',
          {
            ...shared,
            ref: (element) => {
              field.current = element;
            },
            onChange: ({ currentTarget }) => setTyped(currentTarget.value),
          },
          options,
        )
      : h('textarea', {
          ...shared,
          ref: (element) => {
            field.current = element;
          },
          rows: before.length > longFrom || before.includes('\n') || column.type === 'json' ? 4 : 1,
          spellcheck: false,
          onInput: ({ currentTarget }) => setTyped(currentTarget.value),
        }),
    h('div', { id, class: 'fault', role: 'alert' }, fault),
  );
}

/** From this many characters on, a value gets several lines. */
const longFrom = 60;

function requiredFault({ required }: ColumnDescription): string | null {
  return required ? words().records.isRequired : null;
}
