/** Queries tried out: a select query as clients send it, its rows as a table and as JSON, and how long it took. */
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Button, Empty, Note, Screen } from '../components/basics.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { messageOf } from '../components/form.ts';
import { FramedTable } from '../components/framed-table.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { language, words } from '../preferences.ts';
import { alias, type Row, shown, type TableDescription, tablesOf, type VersionParams, versionOf } from '../records.ts';
import type { Place } from '../route.ts';

export default function Playground({ place }: { place: Place }): VNode {
  const texts = words().playground;
  const params = versionOf(place);
  const tables = useAsked((signal) => tablesOf(params, signal), []);
  return h(
    Screen,
    { title: texts.title, what: texts.what },
    h(Shown<readonly TableDescription[]>, {
      asked: tables,
      children: (found) => {
        const [first] = found;
        if (first === undefined) return h(Empty, { title: words().records.noTable });
        return h(Tried, { params, tables: found, first });
      },
    }),
  );
}

interface Result {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly milliseconds: number;
}

const shownMax = 200;

function Tried({
  params,
  tables,
  first,
}: {
  params: VersionParams;
  tables: readonly TableDescription[];
  first: TableDescription;
}): VNode {
  const texts = words().playground;
  const [text, setText] = useState(() => JSON.stringify(exampleOf(first), null, 2));
  const [result, setResult] = useState<Result | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async (event?: Event) => {
    event?.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      const body = JSON.parse(text) as ReturnType<typeof exampleOf>;
      const path = 'POST /companies/:companyId/applications/:appId/versions/:version/records/:objectName/select';
      const objectName = body.from?.phyName ?? first.name;
      const begun = performance.now();
      const { rows, next } = await call(path, { params: { ...params, objectName }, body });
      setResult({ rows, next, milliseconds: performance.now() - begun });
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.isComposing) void run(event);
  };
  return h(
    'div',
    { class: 'form' },
    h(
      'form',
      { class: 'form', onSubmit: run, onKeyDown: onKey },
      h(SelectField<string>, {
        label: texts.example,
        value: '',
        options: [['', texts.choose], ...tables.map(({ name }) => [name, name] as const)],
        onChange: (name) => {
          const table = tables.find((each) => each.name === name);
          if (table !== undefined) setText(JSON.stringify(exampleOf(table), null, 2));
        },
      }),
      h(TextField, { label: texts.query, hint: texts.hint, value: text, onInput: setText, isCode: true, rows: 14 }),
      h('div', { class: 'toolbar' }, h(Button, { type: 'submit', kind: 'main', disabled: isBusy }, texts.run)),
    ),
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    result !== null && h(Rows, { result }),
  );
}

/** The members of a select query that one begins with. */
function exampleOf({ name, columns }: TableDescription) {
  const [column] = columns;
  const where =
    column === undefined
      ? {}
      : { where: { expression: { source: `#${alias}.${column.colName} IS NOT NULL`, params: [] } } };
  return { from: { phyName: name, alias }, ...where, range: { limit: 20 } };
}

function Rows({ result }: { result: Result }): VNode {
  const texts = words().playground;
  const { rows, milliseconds } = result;
  const flat = rows.slice(0, shownMax).map(flattened);
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const number = new Intl.NumberFormat(language.value, { maximumFractionDigits: 1 });
  return h(
    'section',
    { class: 'form' },
    h('p', { role: 'status' }, texts.took(number.format(rows.length), number.format(milliseconds))),
    rows.length > 0 &&
      h(
        FramedTable,
        { label: texts.rows, head: names },
        flat.map((row, index) =>
          h(
            'tr',
            { key: index },
            names.map((name) =>
              h('td', { key: name, class: typeof row[name] === 'number' ? 'number' : '' }, shown(row[name])),
            ),
          ),
        ),
      ),
    h(
      'details',
      null,
      h('summary', null, 'JSON'),
      h('pre', { class: 'code-block', tabIndex: 0 }, JSON.stringify(rows.slice(0, shownMax), null, 2)),
    ),
  );
}

/** `{r: {title}}` as `r.title`; a missing side of a join has no columns. */
function flattened(row: Row): Row {
  const cells = Object.entries(row).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([column, each]) => [`${name}.${column}`, each] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(cells);
}
