/**
 * The catalogue: the components of the console on one page, in all their states. In the demo only, for developers of
 * the console.
 */
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { Problem } from './components/asked.ts';
import { Badge, Button, Empty, Facts, LinkButton, Note, Screen, State } from './components/basics.ts';
import { Chart } from './components/chart.ts';
import { Code, Json } from './components/code.ts';
import { ConditionField } from './components/condition.ts';
import { DangerButton } from './components/danger.ts';
import { Dialog } from './components/dialog.ts';
import { CheckField, CheckList, SelectField, TextField } from './components/fields.ts';
import { ChoiceFilter, PeriodFilter, SearchFilter, TextFilter } from './components/filters.ts';
import { Form } from './components/form.ts';
import { FramedTable } from './components/framed-table.ts';
import { Grid } from './components/grid.ts';
import { Icon } from './components/icon.ts';
import { List } from './components/list.ts';
import { Time } from './components/time.ts';
import { Toasts, tell } from './components/toasts.ts';
import { type ComponentChildren, h, type VNode } from './h.ts';
import { chooseLanguage, chooseTheme, language, type Theme, theme, themes } from './preferences.ts';
import type { Row, TableDescription } from './records.ts';

const table = {
  name: 'Sale',
  columns: [
    { colName: 'title', type: 'varchar', fieldLength: 100 },
    { colName: 'amount', type: 'integer' },
  ],
  indexes: [],
} as unknown as TableDescription;
const rows: readonly Row[] = [
  { objectId: 'sale-1', title: 'A long title, of which a cell shows the beginning', amount: 1200 },
  { objectId: 'sale-2', title: null, amount: -7 },
];
const cells = rows.map(({ objectId, amount }) =>
  h('tr', { key: String(objectId) }, h('td', null, String(objectId)), h('td', { class: 'number' }, String(amount))),
);

function Catalogue(): VNode {
  return h(
    Screen,
    {
      title: 'Catalogue',
      what: 'The components of the console, in the states that they have.',
      actions: h(SelectField<Theme>, {
        label: 'Theme',
        value: theme.value,
        options: themes.map((each) => [each, each] as const),
        onChange: chooseTheme,
      }),
    },
    h(Basics, {}),
    h(Fields, {}),
    h(Tables, {}),
    h(Above, {}),
    h(Toasts, {}),
  );
}

function Part({ of, children }: { of: string; children?: ComponentChildren }): VNode {
  return h('section', { class: 'form' }, h('h2', null, of), children);
}

function Basics(): VNode[] {
  const icons = ['close', 'up', 'menu', 'check', 'attention'] as const;
  return [
    h(
      Part,
      { of: 'Button, LinkButton' },
      h(
        'div',
        { class: 'toolbar' },
        h(Button, {}, 'usual'),
        h(Button, { kind: 'main' }, 'main'),
        h(Button, { kind: 'dangerous' }, 'dangerous'),
        h(Button, { kind: 'plain' }, 'plain'),
        h(Button, { disabled: true }, 'disabled'),
        h(LinkButton, { href: '#' }, 'link'),
        h(LinkButton, { href: '#', kind: 'main' }, 'main link'),
      ),
    ),
    h(
      Part,
      { of: 'Badge, State, Icon, Time' },
      h(
        'div',
        { class: 'toolbar' },
        h(Badge, {}, 'none'),
        h(Badge, { tone: 'good' }, 'good'),
        h(Badge, { tone: 'warning' }, 'warning'),
        h(Badge, { tone: 'wrong' }, 'wrong'),
        h(State, { disabled: true }),
        h(State, { disabled: false }),
        icons.map((name) => h(Icon, { name, key: name })),
        h(Time, { at: '2026-01-31T10:00:00.000+00:00' }),
      ),
    ),
    h(
      Part,
      { of: 'Note, Problem, Empty, Facts' },
      h(Note, {}, 'Something to be read before going on.'),
      h(Note, { tone: 'good' }, 'It was done.'),
      h(Note, { tone: 'warning' }, 'It may take long.'),
      h(Problem, { error: new Error('It failed, and why.'), again: () => {} }),
      h(Empty, { title: 'Nothing yet' }, h('p', null, 'What to do next.')),
      h(Facts, {
        of: [
          ['Name', 'Value'],
          ['Number', '1,200'],
        ],
      }),
    ),
  ];
}

function Fields(): VNode {
  const [text, setText] = useState('Text');
  const [checked, setChecked] = useState(true);
  const [chosen, setChosen] = useState<readonly number[]>([1]);
  const typed = { value: text, onInput: setText };
  return h(
    Part,
    { of: 'Form, fields, Condition, filters' },
    h(
      Form,
      { action: 'Save', onSubmit: async () => {}, onCancel: () => {} },
      h(TextField, { label: 'TextField', hint: 'Its purpose.', ...typed }),
      h(TextField, { label: 'With a fault', fault: 'What is wrong.', ...typed }),
      h(TextField, { label: 'With rows, as code', isCode: true, rows: 3, ...typed }),
      h(SelectField<string>, {
        label: 'SelectField',
        value: 'a',
        options: [
          ['a', 'one'],
          ['b', 'other'],
        ],
        onChange: () => {},
      }),
      h(CheckField, { label: 'CheckField', hint: 'What it does.', checked, onChange: setChecked }),
      h(CheckList, {
        label: 'CheckList',
        options: [
          [1, 'North'],
          [2, 'South'],
        ],
        chosen,
        onChange: setChosen,
      }),
    ),
    h(ConditionField, { label: 'ConditionField', value: '#r.titel = 1', onInput: () => {}, table, tables: [table] }),
    h(
      'div',
      { class: 'toolbar' },
      h(SearchFilter, { what: 'Sales' }),
      h(TextFilter, { name: 'text', label: 'TextFilter' }),
      h(ChoiceFilter, { name: 'choice', label: 'ChoiceFilter', options: [['a', 'one']] }),
      h(PeriodFilter, {}),
    ),
  );
}

function Tables(): VNode[] {
  return [
    h(Part, { of: 'FramedTable' }, h(FramedTable, { label: 'FramedTable', head: ['Id', 'Amount'] }, cells)),
    h(
      Part,
      { of: 'List' },
      h(List<Row>, {
        label: 'List',
        columns: [
          { heading: 'Id', cell: ({ objectId }) => String(objectId), sort: 'objectId', isMono: true },
          { heading: 'Amount', cell: ({ amount }) => String(amount), isNumber: true },
        ],
        ask: async () => ({ results: rows, count: 120 }),
        rowKey: ({ objectId }) => String(objectId),
        empty: null,
      }),
    ),
    h(
      Part,
      { of: 'Grid, with a menu for each value' },
      h(Grid, {
        label: 'Grid',
        columns: [{ colName: 'objectId', type: 'text' }, ...table.columns],
        rows,
        isStale: false,
        sort: 'amount',
        onSort: () => {},
        onOpen: () => {},
        menuOf: (_row, { colName }) => [{ label: `Equal ${colName}`, onSelect: () => {} }],
      }),
    ),
    h(
      Part,
      { of: 'Chart, Code, Json' },
      h(Chart, { label: 'Chart', values: [1, 3, null, 7, 2] }),
      h(Chart, { label: 'Chart of faults', values: [0, 0, 1, 0, 2], isOfFaults: true }),
      h(Code, { text: 'npx rowhouse --help' }),
      h(Json, { value: rows[0] }),
    ),
  ];
}

function Above(): VNode {
  const [open, setOpen] = useState<'wide' | 'drawer' | 'usual' | null>(null);
  const close = () => setOpen(null);
  return h(
    Part,
    { of: 'Dialog, DangerButton, Toasts' },
    h(
      'div',
      { class: 'toolbar' },
      (['usual', 'wide', 'drawer'] as const).map((shape) =>
        h(Button, { key: shape, onClick: () => setOpen(shape) }, `Dialog: ${shape}`),
      ),
      h(DangerButton, {
        action: 'DangerButton',
        name: 'Sale',
        onConfirm: async () => {},
        children: 'What would be lost.',
      }),
      h(Button, { onClick: () => tell('It was done', { undo: () => {} }) }, 'Toast'),
    ),
    open !== null &&
      h(
        Dialog,
        { title: `Dialog: ${open}`, onClose: close, ...(open !== 'usual' && { shape: open }) },
        h('p', null, 'What it is about.'),
      ),
  );
}

chooseTheme(theme.peek());
await chooseLanguage(language.peek());
render(h(Catalogue, {}), document.getElementById('console') as HTMLElement);
