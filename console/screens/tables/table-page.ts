/** One table: its columns and indexes, and the changes to them. */
import { useState } from 'preact/hooks';
import { Badge, Button, Empty } from '../../components/basics.ts';
import { Json } from '../../components/code.ts';
import { CheckField } from '../../components/fields.ts';
import { messageOf } from '../../components/form.ts';
import { FramedTable } from '../../components/framed-table.ts';
import { tell } from '../../components/toasts.ts';
import type { ComponentChildren, VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { go, linkTo, type Place } from '../../route.ts';
import { ColumnForm } from './column-form.ts';
import { type Change, type Column, type Index, type Table, typeText } from './definition.ts';
import type { Drafting } from './draft.ts';
import { IndexForm, TableForm } from './table-forms.ts';
import { indexText } from './texts.ts';

interface TablePageProps {
  readonly place: Place;
  readonly table: Table;
  readonly tables: readonly Table[];
  readonly drafting: Drafting;
  readonly mayChange: boolean;
}

type Opened = { readonly form: 'rename' | 'column' | 'index'; readonly column?: Column };

export function TablePage({ place, table, tables, drafting, mayChange }: TablePageProps): VNode {
  const texts = words().tables;
  const { name, columns, indexes } = table;
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  const add = async (change: Change) => {
    try {
      await drafting.add(change);
    } catch (error) {
      tell(messageOf(error), { tone: 'wrong' });
    }
  };
  const rename = async (to: string) => {
    await drafting.add({ op: 'renameTable', table: name, to });
    go({ ...place, item: to }, { replace: true });
  };
  const drop = async () => {
    await add({ op: 'dropTable', table: name });
    go({ ...place, item: null });
  };
  const open = (form: Opened['form'], column?: Column) => () => setOpened({ form, ...(column && { column }) });
  return h(
    'div',
    { class: 'form' },
    mayChange &&
      h(
        'div',
        { class: 'toolbar' },
        h(Button, { onClick: open('column') }, texts.addColumn),
        h(Button, { onClick: open('index') }, texts.addIndex),
        h(Button, { onClick: open('rename') }, texts.rename),
        h(Button, { kind: 'dangerous', onClick: () => void drop() }, texts.dropTable),
      ),
    mayChange
      ? h(CheckField, {
          label: texts.lockFree,
          checked: table.lockFree ?? false,
          onChange: (lockFree) => void add({ op: 'changeTable', table: name, lockFree }),
        })
      : table.lockFree && h('p', { class: 'quiet' }, texts.lockFree),
    columns.length === 0
      ? h(Empty, { title: texts.noColumns }, h('p', null, texts.noColumnsAdvice))
      : h(Columns, {
          place,
          table,
          actions: mayChange
            ? (column) => [
                h(Action, {
                  action: texts.change,
                  label: texts.of(texts.change, column.colName),
                  onClick: open('column', column),
                }),
                h(Action, {
                  action: texts.drop,
                  label: texts.of(texts.drop, column.colName),
                  onClick: () => void add({ op: 'dropColumn', table: name, column: column.colName }),
                }),
              ]
            : null,
        }),
    columns.length > 0 && h('p', { class: 'quiet' }, texts.everyTable),
    h('h2', null, texts.indexes),
    indexes.length === 0
      ? h('p', { class: 'quiet' }, texts.noIndexes)
      : h(
          'ul',
          { class: 'chips' },
          indexes.map((index: Index) =>
            h(
              'li',
              { class: 'chip', key: indexText(index) },
              h('code', null, indexText(index)),
              mayChange &&
                h(Action, {
                  action: texts.drop,
                  label: texts.of(texts.dropIndex, indexText(index)),
                  onClick: () => void add({ op: 'dropIndex', table: name, ...index }),
                }),
            ),
          ),
        ),
    h('details', null, h('summary', null, texts.json), h(Json, { value: table })),
    opened?.form === 'rename' && h(TableForm, { title: texts.rename, name, onSave: rename, onClose: close }),
    opened?.form === 'column' &&
      h(ColumnForm, { table, column: opened.column ?? null, tables, onSave: drafting.add, onClose: close }),
    opened?.form === 'index' &&
      h(IndexForm, {
        table,
        onClose: close,
        onSave: async (index) => {
          await drafting.add({ op: 'addIndex', table: name, ...index });
          close();
        },
      }),
  );
}

/** An action on one of several things, which its label names for screen readers. */
function Action({ action, label, onClick }: { action: string; label: string; onClick: () => void }): VNode {
  return h(Button, { kind: 'plain', label, onClick }, action);
}

interface ColumnsProps {
  readonly place: Place;
  readonly table: Table;
  readonly actions: ((column: Column) => ComponentChildren) | null;
}

function Columns({ place, table, actions }: ColumnsProps): VNode {
  const texts = words().tables;
  const head = [
    texts.column,
    texts.type,
    texts.requiredHeading,
    texts.defaultLabel,
    texts.refersTo,
    texts.fullTextHeading,
    actions !== null && texts.actions,
  ];
  const marked = (is: boolean | undefined) => (is ? h(Badge, {}, words().yes) : '');
  return h(
    FramedTable,
    { label: `${texts.columns}: ${table.name}`, head },
    table.columns.map((column) =>
      h(
        'tr',
        { key: column.colName },
        h('th', { scope: 'row' }, column.colName),
        h('td', { class: 'mono' }, typeText(column)),
        h('td', null, marked(column.required)),
        h('td', { class: 'mono' }, column.default === undefined ? '' : JSON.stringify(column.default)),
        h(
          'td',
          null,
          column.references !== undefined &&
            h('a', { href: linkTo({ ...place, item: column.references }) }, column.references),
        ),
        h('td', null, marked(column.fullText)),
        actions && h('td', null, actions(column)),
      ),
    ),
  );
}
