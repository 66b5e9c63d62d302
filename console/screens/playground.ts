/** Queries tried out: a select query as clients send it, its rows and how long they took, and its plan in words. */
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Shown, useAsked } from '../components/asked.ts';
import { Button, Empty, Note, Screen } from '../components/basics.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { messageOf } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { alias, type TableDescription, tablesOf, type VersionParams, versionOf } from '../records.ts';
import type { Place } from '../route.ts';
import { type Explained, Plan } from './playground/plan.ts';
import { type Result, Rows } from './playground/rows.ts';

const records = '/companies/:companyId/applications/:appId/versions/:version/records/:objectName';

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
  const [outcome, setOutcome] = useState<{ readonly result: Result } | { readonly plan: Explained } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const attempt = async (ask: (body: ReturnType<typeof exampleOf>) => Promise<typeof outcome>) => {
    setBusy(true);
    setFault(null);
    try {
      setOutcome(await ask(JSON.parse(text)));
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const of = ({ from }: ReturnType<typeof exampleOf>) => ({ ...params, objectName: from?.phyName ?? first.name });
  const run = (event?: Event) => {
    event?.preventDefault();
    return attempt(async (body) => {
      const begun = performance.now();
      const { rows } = await call(`POST ${records}/select`, { params: of(body), body });
      return { result: { rows, milliseconds: performance.now() - begun } };
    });
  };
  const explain = () =>
    attempt(async (body) => ({ plan: (await call(`POST ${records}/explain`, { params: of(body), body })).results }));
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
      h(
        'div',
        { class: 'toolbar' },
        h(Button, { type: 'submit', kind: 'main', disabled: isBusy }, texts.run),
        h(Button, { disabled: isBusy, onClick: () => void explain() }, texts.explain),
      ),
    ),
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    outcome !== null && ('plan' in outcome ? h(Plan, outcome) : h(Rows, outcome)),
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
