/**
 * The tables of a version: shown as a list, a picture or JSON, and changed one table at a time, or restored from the
 * bin.
 */
import { useState } from 'preact/hooks';
import { call, type Results } from '../api.ts';
import { Problem, useAsked, Waiting } from '../components/asked.ts';
import { Badge, Button, Empty, Screen } from '../components/basics.ts';
import { Json } from '../components/code.ts';
import { List } from '../components/list.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { language, words } from '../preferences.ts';
import { go, linkTo, type Place } from '../route.ts';
import { may } from '../session.ts';
import { Bin } from './tables/bin.ts';
import type { Table } from './tables/definition.ts';
import { type Draft, type Drafting, paramsOf, useDraft } from './tables/draft.ts';
import { Pending } from './tables/pending.ts';
import { Picture } from './tables/picture.ts';
import { TableForm } from './tables/table-forms.ts';
import { TablePage } from './tables/table-page.ts';

const views = ['list', 'picture', 'json', 'bin'] as const;

/** `item` is the name of the open table. */
export default function Tables({ place }: { place: Place }): VNode {
  const texts = words().tables;
  const params = paramsOf(place);
  const drafting = useDraft(params);
  const [isAdding, setAdding] = useState(false);
  const { draft, error, load, jobId } = drafting;
  const mayChange = may.value('table.define') && jobId === null && draft !== null;
  const add = async (table: string, lockFree: boolean) => {
    await drafting.add({ op: 'addTable', table, columns: [], indexes: [], ...(lockFree && { lockFree }) });
    setAdding(false);
    go({ ...place, item: table, query: {} });
  };
  return h(
    Screen,
    {
      title: place.item ?? texts.title,
      what: place.item === null ? texts.what : h('a', { href: linkTo({ ...place, item: null }) }, texts.all),
      actions: mayChange && h(Button, { kind: 'main', onClick: () => setAdding(true) }, texts.addTable),
    },
    error !== null && h(Problem, { error, again: () => void load() }),
    draft === null && error === null && h(Waiting, {}),
    draft !== null && draft.changes.length > 0 && h(Pending, { drafting, draft, params }),
    draft !== null && h(Seen, { place, draft, drafting, mayChange }),
    isAdding && h(TableForm, { title: texts.addTable, onSave: add, onClose: () => setAdding(false) }),
  );
}

interface SeenProps {
  readonly place: Place;
  readonly draft: Draft;
  readonly drafting: Drafting;
  readonly mayChange: boolean;
}

function Seen({ place, draft, drafting, mayChange }: SeenProps): VNode {
  const texts = words().tables;
  const { tables, bin } = draft;
  const table = tables.find(({ name }) => name === place.item);
  if (table !== undefined) {
    return h(TablePage, { key: table.name, place, table, tables, drafting, mayChange });
  }
  if (place.item !== null) {
    return h(Empty, { title: texts.noTable(place.item) }, h('p', null, texts.noTableAdvice));
  }
  const view = views.find((each) => each === place.query.view) ?? 'list';
  return h(
    'div',
    { class: 'form' },
    h(
      'nav',
      { class: 'tabs', 'aria-label': texts.views },
      views.map((each) =>
        h(
          'a',
          {
            key: each,
            href: linkTo({ ...place, query: { view: each === 'list' ? '' : each } }),
            ...(each === view && { 'aria-current': 'page' as const }),
          },
          each === 'bin' && bin.length > 0 ? `${texts.bin} (${bin.length})` : texts[each],
        ),
      ),
    ),
    view === 'list' && h(TableList, { place, draft }),
    view === 'picture' && h(Picture, { place, tables }),
    view === 'json' && h(Json, { value: tables }),
    view === 'bin' && h(Bin, { draft, add: drafting.add, mayChange }),
  );
}

const sizesPath = '/companies/:companyId/applications/:appId/versions/:version/tables/sizes';
type Size = Results<`GET ${typeof sizesPath}`>[number];

function TableList({ place, draft }: { place: Place; draft: Draft }): VNode {
  const texts = words().tables;
  const { tables } = draft;
  const params = paramsOf(place);
  const sizes = useAsked(async (signal) => (await call(`GET ${sizesPath}`, { params }, signal)).results, []);
  // Unknown for a table that was not applied yet.
  const byTable = new Map<string, Size>(sizes.value?.map((size) => [size.table, size]));
  const number = (name: string, measure: 'rows' | 'bytes') => byTable.get(name)?.[measure] ?? -1;
  const by = (measure: 'rows' | 'bytes') => (a: Table, b: Table) =>
    number(a.name, measure) - number(b.name, measure) || byName(a, b);
  const orders: typeof order = { ...order, rows: by('rows'), bytes: by('bytes') };
  return h(List<Table>, {
    label: texts.title,
    columns: [
      { heading: texts.table, cell: ({ name }) => name, sort: 'name' },
      { heading: texts.columns, cell: ({ columns }) => columns.length, isNumber: true, sort: 'columns' },
      { heading: texts.indexes, cell: ({ indexes }) => indexes.length, isNumber: true, sort: 'indexes' },
      {
        heading: texts.records,
        cell: ({ name }) => byTable.get(name)?.rows.toLocaleString(language.value) ?? '',
        isNumber: true,
        sort: 'rows',
      },
      {
        heading: texts.size,
        cell: ({ name }) => (byTable.has(name) ? sizeText(number(name, 'bytes')) : ''),
        isNumber: true,
        sort: 'bytes',
      },
      { heading: texts.refersTo, cell: ({ columns }) => referred(columns).join(', ') },
      { heading: texts.state, cell: ({ name }) => h(Changed, { name, draft }) },
    ],
    ask: async ({ offset, limit, sort = 'name', search = '' }) => {
      const found = tables.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
      const sorted = found.toSorted(orders[sort.replace('-', '')] ?? byName);
      const all = sort.startsWith('-') ? sorted.reverse() : sorted;
      return { results: all.slice(offset, offset + limit), count: all.length };
    },
    rowKey: ({ name }) => name,
    onOpen: ({ name }) => go({ ...place, item: name, query: {} }),
    by: [draft, sizes.value ?? 'unknown'],
    empty: h(Empty, { title: texts.none }, h('p', null, texts.noneAdvice)),
  });
}

function sizeText(bytes: number): string {
  const [unit, factor] = bytes < 1e6 ? (['kilobyte', 1e3] as const) : (['megabyte', 1e6] as const);
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, maximumFractionDigits: 0 }).format(
    bytes / factor,
  );
}

const byName = (a: Table, b: Table) => a.name.localeCompare(b.name);
const order: Readonly<Record<string, (a: Table, b: Table) => number>> = {
  columns: (a, b) => a.columns.length - b.columns.length || byName(a, b),
  indexes: (a, b) => a.indexes.length - b.indexes.length || byName(a, b),
};

function referred(columns: Table['columns']): string[] {
  return [...new Set(columns.flatMap(({ references }) => references ?? []))];
}

/** Whether a pending change is on the table, under its name then or now. */
function Changed({ name, draft }: { name: string; draft: Draft }): VNode | null {
  const texts = words().tables;
  const own = draft.changes.filter((change) =>
    'to' in change && change.op === 'renameTable' ? change.to === name : 'table' in change && change.table === name,
  );
  if (own.length === 0) return null;
  return h(Badge, { tone: 'warning' }, own.some(({ op }) => op === 'addTable') ? texts.isNew : texts.isChanged);
}
