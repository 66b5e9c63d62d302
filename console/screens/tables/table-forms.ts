/** Forms for a table as a whole: its name, and its indexes. */
import { useState } from 'preact/hooks';
import { Button } from '../../components/basics.ts';
import { Dialog } from '../../components/dialog.ts';
import { CheckField, SelectField, TextField } from '../../components/fields.ts';
import { Form } from '../../components/form.ts';
import { Icon } from '../../components/icon.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { type Index, systemColumns, type Table } from './definition.ts';

interface TableFormProps {
  readonly title: string;
  /** The present name; absent for a new table, which may be lock-free. */
  readonly name?: string;
  /** @throws Refusal, which is displayed */
  readonly onSave: (name: string, lockFree: boolean) => Promise<void>;
  readonly onClose: () => void;
}

export function TableForm({ title, name, onSave, onClose }: TableFormProps): VNode {
  const texts = words().tables;
  const [typed, setTyped] = useState(name ?? '');
  const [lockFree, setLockFree] = useState(false);
  return h(
    Dialog,
    { title, onClose },
    h(
      Form,
      { action: title, onCancel: onClose, onSubmit: () => onSave(typed.trim(), lockFree) },
      h(TextField, {
        label: name === undefined ? texts.name : texts.renameTo,
        hint: texts.addTableHint,
        value: typed,
        onInput: setTyped,
        required: true,
        maxLength: 63,
        autocomplete: 'off',
        autofocus: true,
      }),
      name === undefined && h(CheckField, { label: texts.lockFree, checked: lockFree, onChange: setLockFree }),
    ),
  );
}

interface IndexFormProps {
  readonly table: Table;
  /** @throws Refusal, which is displayed */
  readonly onSave: (index: Index) => Promise<void>;
  readonly onClose: () => void;
}

export function IndexForm({ table, onSave, onClose }: IndexFormProps): VNode {
  const texts = words().tables;
  const [columns, setColumns] = useState<readonly string[]>([]);
  const [unique, setUnique] = useState(false);
  const free = [...table.columns.map(({ colName }) => colName), ...systemColumns].filter(
    (name) => !columns.includes(name),
  );
  const [chosen, setChosen] = useState('');
  const next = free.includes(chosen) ? chosen : (free[0] ?? '');
  return h(
    Dialog,
    { title: texts.addIndex, onClose },
    h(
      Form,
      {
        action: texts.addIndex,
        disabled: columns.length === 0,
        onCancel: onClose,
        onSubmit: () => onSave({ columns, unique }),
      },
      h(
        'div',
        { class: 'field' },
        h('span', { class: 'label' }, texts.indexColumns),
        h(
          'ol',
          { class: 'chips' },
          columns.map((name) =>
            h(
              'li',
              { class: 'chip', key: name },
              name,
              h(
                Button,
                {
                  kind: 'plain',
                  label: `${words().remove}: ${name}`,
                  onClick: () => setColumns(columns.filter((each) => each !== name)),
                },
                h(Icon, { name: 'close' }),
              ),
            ),
          ),
        ),
      ),
      h(
        'div',
        { class: 'toolbar' },
        h(SelectField<string>, {
          label: texts.column,
          value: next,
          options: free.map((name) => [name, name] as const),
          onChange: setChosen,
        }),
        h(Button, { disabled: next === '', onClick: () => setColumns([...columns, next]) }, texts.addToIndex),
      ),
      h(CheckField, { label: texts.uniqueLabel, checked: unique, onChange: setUnique }),
    ),
  );
}
