/**
 * Trying out queries: a query as clients send it, in either form, with its rows, their duration, and its plan in words.
 */
import { useState } from 'preact/hooks';
import { Shown, UnderWay, useAsked } from '../components/asked.ts';
import { Button, Empty, Note, Screen } from '../components/basics.ts';
import { SelectField, TextField } from '../components/fields.ts';
import { messageOf } from '../components/form.ts';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { type TableDescription, tablesOf, type VersionParams, versionOf } from '../records.ts';
import type { Place } from '../route.ts';
import { type Explained, type FormName, forms } from './playground/forms.ts';
import { Plan } from './playground/plan.ts';
import { type Result, Rows } from './playground/rows.ts';

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
  const [form, setForm] = useState<FormName>('select');
  const [table, setTable] = useState(first);
  const [text, setText] = useState(() => beginning('select', first));
  const [outcome, setOutcome] = useState<{ readonly result: Result } | { readonly plan: Explained } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { rows, explain } = forms[form];
  const begin = (chosen: FormName, of: TableDescription) => {
    setForm(chosen);
    setTable(of);
    setText(beginning(chosen, of));
    setOutcome(null);
  };
  const attempt = async (ask: (body: unknown) => Promise<typeof outcome>) => {
    if (isBusy) return;
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
  const run = (event?: Event) => {
    event?.preventDefault();
    return attempt(async (body) => {
      const begun = performance.now();
      const found = await rows(params, body);
      return { result: { rows: found, milliseconds: performance.now() - begun } };
    });
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
      h(
        'div',
        { class: 'toolbar' },
        h(SelectField<FormName>, {
          label: texts.form,
          value: form,
          options: [
            ['select', texts.forms.select],
            ['older', texts.forms.older],
          ],
          onChange: (chosen) => begin(chosen, table),
        }),
        h(SelectField<string>, {
          label: texts.example,
          value: '',
          options: [['', texts.choose], ...tables.map(({ name }) => [name, name] as const)],
          onChange: (name) => begin(form, tables.find((each) => each.name === name) ?? table),
        }),
      ),
      h(TextField, {
        label: texts.query,
        hint: texts.hints[form],
        value: text,
        onInput: setText,
        isCode: true,
        rows: 14,
      }),
      h(
        'div',
        { class: 'toolbar' },
        h(Button, { type: 'submit', kind: 'main', busy: isBusy }, texts.run),
        explain !== null &&
          h(
            Button,
            {
              busy: isBusy,
              onClick: () => void attempt(async (body) => ({ plan: await explain(params, body) })),
            },
            texts.explain,
          ),
      ),
    ),
    fault !== null && h(Note, { tone: 'wrong' }, fault),
    isBusy && h(UnderWay, { text: words().underWay(texts.query) }),
    outcome !== null && ('plan' in outcome ? h(Plan, outcome) : h(Rows, outcome)),
  );
}

function beginning(form: FormName, table: TableDescription): string {
  return JSON.stringify(forms[form].example(table), null, 2);
}
