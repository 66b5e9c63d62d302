/** The records of a table: filtering, sorting, adding, changing, deleting and exporting them. */
import { useEffect, useState } from 'preact/hooks';
import { Problem, Shown, useAsked, Waiting } from '../components/asked.ts';
import { Button, Empty, LinkButton, Screen } from '../components/basics.ts';
import { ConditionField } from '../components/condition.ts';
import { SelectField } from '../components/fields.ts';
import { copy } from '../components/toasts.ts';
import { useTyped } from '../components/typed.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { language, words } from '../preferences.ts';
import {
  countOf,
  pageOf,
  type TableDescription,
  tablesOf,
  type VersionParams,
  versionOf,
  type Wanted,
} from '../records.ts';
import { changeQuery, go, linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';
import { ExportButton } from './records/export.ts';
import { RecordDrawer } from './records/record.ts';
import { RecordGrid } from './records/record-grid.ts';
import { asClientCode, asCurl } from './records/request.ts';

const pageRows = 50;

/** `item` is the table; the query has `where`, `sort`, and the record that is open. */
export default function Records({ place }: { place: Place }): VNode {
  const texts = words().records;
  const params = versionOf(place);
  const tables = useAsked((signal) => tablesOf(params, signal), []);
  const table = tables.value?.find(({ name }) => name === place.item) ?? tables.value?.[0];
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(Shown<readonly TableDescription[]>, {
      asked: tables,
      children: (found) =>
        table === undefined
          ? h(
              Empty,
              { title: texts.noTable },
              h(LinkButton, { href: linkTo({ screen: 'tables' }), kind: 'main' }, texts.toTables),
            )
          : h(place.query.import === undefined ? OfTable : Importing, {
              key: table.name,
              place,
              params,
              tables: found,
              table,
            }),
    }),
  );
}

interface OfTableProps {
  readonly place: Place;
  readonly params: VersionParams;
  readonly tables: readonly TableDescription[];
  readonly table: TableDescription;
}

function OfTable({ place, params, tables, table }: OfTableProps): VNode {
  const texts = words().records;
  const { where = '', sort = '', record = '' } = place.query;
  const wanted: Wanted = { table: table.name, where, sort };
  const [cursors, setCursors] = useState<readonly string[]>(['']);
  const [turn, setTurn] = useState(0);
  useEffect(() => setCursors(['']), [where, sort]);
  const after = cursors.at(-1) as string;
  const page = useAsked((signal) => pageOf(params, wanted, after, pageRows, signal), [where, sort, after, turn]);
  const count = useAsked((signal) => countOf(params, wanted, signal), [where, turn]);
  const open = (id: string) => changeQuery({ record: id });
  const done = () => {
    open('');
    setTurn(turn + 1);
  };
  const rows = page.value?.rows ?? [];
  return h(
    'div',
    { class: 'form' },
    h(
      'div',
      { class: 'toolbar' },
      h(SelectField<string>, {
        label: texts.table,
        value: table.name,
        options: tables.map(({ name }) => [name, name] as const),
        onChange: (name) => go({ ...place, item: name, query: {} }),
      }),
      h(Filter, { where, table, tables }),
      h('span', { class: 'spacer' }),
      may.value('record.write') && h(Button, { kind: 'main', onClick: () => open('new') }, texts.add),
      may.value('record.write') &&
        h(LinkButton, { href: linkTo({ ...place, query: { import: 'yes' } }) }, texts.import.action),
      h(ExportButton, { params, wanted, count: count.value }),
      h(Button, { onClick: () => void copy(asCurl(prefixOf(place), wanted, pageRows)) }, texts.copyCurl),
      h(Button, { onClick: () => void copy(asClientCode(wanted, pageRows)) }, texts.copyCode),
    ),
    page.error !== null && h(Problem, { error: page.error, again: page.again }),
    page.value === null && page.error === null && h(Waiting, {}),
    page.value !== null &&
      rows.length === 0 &&
      h(
        Empty,
        { title: where === '' ? texts.none : words().nothingFound },
        h('p', null, where === '' ? texts.noneAdvice : words().nothingFoundAdvice),
      ),
    page.value !== null &&
      rows.length > 0 &&
      h(RecordGrid, {
        params,
        tables,
        table,
        page: page.value,
        isStale: page.isAsking,
        before: (cursors.length - 1) * pageRows,
        count: count.value,
        where,
        sort,
        onOpen: (row) => open(String(row.objectId)),
      }),
    h(Pager, {
      cursors,
      setCursors,
      next: page.value?.next ?? null,
      rows: rows.length,
      count: count.value,
      isBusy: page.isAsking,
    }),
    record !== '' &&
      h(RecordDrawer, {
        key: record,
        params,
        table,
        row: record === 'new' ? null : (rows.find(({ objectId }) => objectId === record) ?? null),
        objectId: record === 'new' ? null : record,
        onClose: () => open(''),
        onDone: done,
      }),
  );
}

/** The path prefix of the client interface of a version. */
function prefixOf({ companyId, appId, version }: Place): string {
  const root = location.href.slice(0, location.href.indexOf('/admin/'));
  return `${root}/api/${companyId}/${appId}/${version}`;
}

/** Shown instead of the records. */
function Importing({ place, ...given }: OfTableProps): VNode {
  const texts = words().records.import;
  const view = useAsked(() => import('./records/import/view.ts'), []);
  return h(
    'div',
    { class: 'form' },
    h('div', { class: 'toolbar' }, h(LinkButton, { href: linkTo({ ...place, query: {} }) }, texts.back)),
    view.error !== null && h(Problem, { error: view.error, again: view.again }),
    view.value !== null && h(view.value.Import, given),
  );
}

/** A condition in the expression language, with `#r` as the record. */
function Filter({ where, table, tables }: { where: string } & Pick<OfTableProps, 'table' | 'tables'>): VNode {
  const texts = words().records;
  const [typed, setTyped] = useTyped(where);
  const submit = (event: Event) => {
    event.preventDefault();
    changeQuery({ where: typed });
  };
  return h(
    'form',
    { class: 'toolbar', role: 'search', onSubmit: submit },
    h(ConditionField, { label: texts.where, value: typed, onInput: setTyped, table, tables }),
    h(Button, { type: 'submit' }, texts.find),
    where !== '' && h(Button, { kind: 'plain', onClick: () => changeQuery({ where: '' }) }, texts.clear),
  );
}

interface PagerProps {
  readonly cursors: readonly string[];
  readonly setCursors: (cursors: readonly string[]) => void;
  readonly next: string | null;
  readonly rows: number;
  /** Null while it is counted. */
  readonly count: number | null;
  readonly isBusy: boolean;
}

function Pager({ cursors, setCursors, next, rows, count, isBusy }: PagerProps): VNode {
  const number = new Intl.NumberFormat(language.value);
  const from = (cursors.length - 1) * pageRows;
  const all = count === null ? '…' : number.format(count);
  return h(
    'div',
    { class: 'pager' },
    h(
      'span',
      { role: 'status' },
      rows === 0 ? '' : words().rowsOf(number.format(from + 1), number.format(from + rows), all),
    ),
    h(
      Button,
      { disabled: cursors.length === 1, busy: isBusy, onClick: () => setCursors(cursors.slice(0, -1)) },
      words().previousPage,
    ),
    h(
      Button,
      { disabled: next === null, busy: isBusy, onClick: () => next !== null && setCursors([...cursors, next]) },
      words().nextPage,
    ),
    h('span', { class: 'quiet' }, words().records.cellHint),
  );
}
