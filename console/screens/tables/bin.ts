/** Dropped tables and columns, to be restored or removed permanently. */
import { useState } from 'preact/hooks';
import { Badge, Button, Empty } from '../../components/basics.ts';
import { Dialog } from '../../components/dialog.ts';
import { CheckField, TextField } from '../../components/fields.ts';
import { Form, messageOf } from '../../components/form.ts';
import { FramedTable } from '../../components/framed-table.ts';
import { Time } from '../../components/time.ts';
import { tell } from '../../components/toasts.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import type { Binned, Draft, Drafting } from './draft.ts';

interface BinProps {
  readonly draft: Draft;
  readonly add: Drafting['add'];
  readonly mayChange: boolean;
}

export function Bin({ draft, add, mayChange }: BinProps): VNode {
  const texts = words().tables;
  const [restored, setRestored] = useState<Binned | null>(null);
  const purge = async ({ id }: Binned) => {
    try {
      await add({ op: 'purge', id });
    } catch (error) {
      tell(messageOf(error), { tone: 'wrong' });
    }
  };
  const isPending = (entry: Binned) => draft.changes.some((change) => 'id' in change && change.id === entry.id);
  if (draft.bin.length === 0) return h(Empty, { title: texts.binNone }, h('p', null, texts.binNoneAdvice));
  const head = [texts.name, texts.droppedBy, texts.dropped, texts.until, mayChange && texts.actions];
  return h(
    'div',
    { class: 'form' },
    h('p', { class: 'quiet' }, texts.binWhat),
    h(
      FramedTable,
      { label: texts.bin, head },
      draft.bin.map((entry) =>
        h(
          'tr',
          { key: entry.id },
          h('th', { scope: 'row' }, nameOf(entry)),
          h('td', null, entry.droppedBy),
          h('td', null, h(Time, { at: entry.dropped })),
          h('td', null, h(Time, { at: entry.until })),
          mayChange &&
            h(
              'td',
              null,
              isPending(entry)
                ? h(Badge, { tone: 'warning' }, texts.isPending)
                : [
                    h(
                      Button,
                      { label: texts.of(texts.restore, nameOf(entry)), onClick: () => setRestored(entry) },
                      texts.restore,
                    ),
                    ' ',
                    h(
                      Button,
                      {
                        kind: 'dangerous',
                        label: texts.of(texts.purge, nameOf(entry)),
                        onClick: () => void purge(entry),
                      },
                      texts.purge,
                    ),
                  ],
            ),
        ),
      ),
    ),
    restored !== null && h(RestoreForm, { entry: restored, draft, add, onClose: () => setRestored(null) }),
  );
}

interface RestoreProps extends Omit<BinProps, 'mayChange'> {
  readonly entry: Binned;
  readonly onClose: () => void;
}

function RestoreForm({ entry, draft, add, onClose }: RestoreProps): VNode {
  const texts = words().tables;
  const former = entry.column ?? entry.table;
  const [name, setName] = useState(former);
  const [withoutIndexes, setWithoutIndexes] = useState(false);
  const restore = async () => {
    const as = name.trim();
    await add({ op: 'restore', id: entry.id, ...(as !== former && { as }), ...(withoutIndexes && { withoutIndexes }) });
    onClose();
  };
  const isTaken = takenNames(entry, draft).includes(name.trim().toLowerCase());
  return h(
    Dialog,
    { title: `${texts.restore}: ${nameOf(entry)}`, onClose },
    h(
      Form,
      { action: texts.restore, onCancel: onClose, onSubmit: restore },
      h(TextField, {
        label: texts.restoreAs,
        value: name,
        onInput: setName,
        required: true,
        maxLength: 63,
        autocomplete: 'off',
        fault: isTaken ? texts.nameTaken : null,
      }),
      h(CheckField, { label: texts.withoutIndexes, checked: withoutIndexes, onChange: setWithoutIndexes }),
    ),
  );
}

/** In lower case, because names that differ only in case are equal. */
function takenNames({ table, column }: Binned, { tables }: Draft): string[] {
  const names =
    column === undefined
      ? tables.map(({ name }) => name)
      : (tables.find(({ name }) => name === table)?.columns.map(({ colName }) => colName) ?? []);
  return names.map((name) => name.toLowerCase());
}

function nameOf({ table, column }: Binned): string {
  return column === undefined ? table : `${table}.${column}`;
}
