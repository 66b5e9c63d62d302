/**
 * Imports records from CSV or JSON lines: a file or pasted rows, with columns matched to the table's, and checked
 * before anything is sent.
 */
import { signal } from '@preact/signals';
import { useId, useMemo, useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { definitionOf, valueFaultOf } from '../../../checker.ts';
import { Problem, useAsked } from '../../../components/asked.ts';
import { Button, Note } from '../../../components/basics.ts';
import { Owner } from '../../../components/choices.ts';
import { SelectField, TextField } from '../../../components/fields.ts';
import { Form, messageOf } from '../../../components/form.ts';
import { FramedTable } from '../../../components/framed-table.ts';
import type { VNode } from '../../../h.ts';
import { h } from '../../../h.ts';
import { words } from '../../../preferences.ts';
import { shown, type TableDescription, type VersionParams } from '../../../records.ts';
import { saveFile } from '../export.ts';
import { identify } from './identify.ts';
import { ImportJob } from './job.ts';
import { type Checked, checkRows, type Match, matchOf, targetsOf } from './rows.ts';
import { readSource, type Source } from './source.ts';

/** The latest import, which continues while other screens are open. */
const importing = signal<ImportJob | null>(null);

addEventListener('beforeunload', (event) => {
  const state = importing.peek()?.progress.peek().state;
  if (state === 'running' || state === 'stopped') event.preventDefault();
});

interface ImportProps {
  readonly params: VersionParams;
  readonly tables: readonly TableDescription[];
  readonly table: TableDescription;
}

export function Import(props: ImportProps): VNode {
  const { table } = props;
  const job = importing.value;
  const texts = words().records.import;
  const [text, setText] = useState('');
  const [typed, setTyped] = useState('');
  const source = useAsked(async (signal) => (text === '' ? null : readSource(text, signal)), [text]);
  const title = h('h2', null, texts.title(job?.task.table ?? table.name));
  if (job !== null) return h('div', { class: 'form' }, title, h(Running, { job }));
  return h(
    'div',
    { class: 'form' },
    title,
    h(FileChoice, { onText: setText }),
    h(TextField, {
      label: texts.paste,
      value: typed,
      rows: 4,
      isCode: true,
      onInput: (pasted) => {
        setTyped(pasted);
        setText(pasted);
      },
    }),
    source.error !== null && h(Problem, { error: source.error, again: source.again }),
    source.value !== null &&
      text !== '' &&
      h(Matched, { ...props, key: source.value.names.join(), source: source.value }),
  );
}

const previewRows = 5;
const faultsMax = 10;

/** The preview of an import: matched columns, the first rows, errors, and the owner. */
function Matched({ params, tables, table, source }: ImportProps & { readonly source: Source }): VNode {
  const texts = words().records.import;
  const targets = targetsOf(table);
  const [match, setMatch] = useState<Match>(() => matchOf(source.names, targets));
  const [ownerId, setOwnerId] = useState('');
  const [scopeType, setScopeType] = useState('2');
  const definition = useMemo(() => definitionOf(tables), [tables]);
  const checked = useAsked(
    (signal) => {
      const valueFault = (column: string, value: unknown) => valueFaultOf(definition, table.name, column, value);
      const checks = { valueFault, required: words().records.isRequired, flaws: texts.flaws };
      return checkRows(table, source, match, checks, signal);
    },
    [source, match],
  );
  const choose = (at: number, name: string) =>
    setMatch(match.map((each, index) => (index === at ? name || null : each === name ? null : each)));
  const begin = async () => {
    const { items, rejected } = checked.value as Checked;
    const scoped = match.includes('scopeType')
      ? items
      : items.map(({ row, item }) => ({ row, item: { scopeType, ...item } }));
    const owner = Number(ownerId);
    const rows = await identify(scoped, source, owner, new AbortController().signal);
    const path = 'POST /companies/:companyId/applications/:appId/versions/:version/records/batch';
    const add = (transactionId: string, data: unknown[]) => {
      const operations = [{ op: 'add' as const, objectName: table.name, data }];
      return call(path, { params, body: { transactionId, ownerId: owner, operations } });
    };
    const job = new ImportJob({ table: table.name, source, rows, rejected, add });
    importing.value = job;
    void job.start();
  };
  const count = checked.value?.items.length ?? 0;
  return h(
    'div',
    { class: 'form', 'aria-busy': checked.isAsking },
    h(
      FramedTable,
      {
        label: texts.preview,
        head: [
          texts.line,
          ...source.names.map((name, index) =>
            h(
              'th',
              { scope: 'col', key: index },
              h(SelectField<string>, {
                label: name,
                value: match[index] ?? '',
                options: [['', texts.notImported], ...targets.map((target) => [target, target] as const)],
                onChange: (target) => choose(index, target),
              }),
            ),
          ),
        ],
      },
      source.rows.slice(0, previewRows).map(({ line, values }, row) =>
        h(
          'tr',
          { key: row },
          h('th', { scope: 'row' }, line),
          source.names.map((_, index) => h('td', { key: index }, shown(values[index]))),
        ),
      ),
    ),
    checked.value !== null && h(Verdict, { source, checked: checked.value }),
    h(
      Form,
      {
        action: texts.start(count),
        disabled: count === 0 || checked.isAsking || ownerId === '',
        onSubmit: begin,
      },
      h(Owner, { companyId: params.companyId, ownerId, onChange: setOwnerId }),
      !match.includes('scopeType') &&
        h(SelectField<string>, {
          label: words().records.seenBy,
          value: scopeType,
          options: Object.entries(words().records.scopes),
          onChange: setScopeType,
        }),
    ),
  );
}

function Verdict({
  source,
  checked: { items, rejected },
}: {
  readonly source: Source;
  readonly checked: Checked;
}): VNode {
  const texts = words().records.import;
  return h(
    'div',
    { class: 'form' },
    h('p', { role: 'status' }, texts.counted(items.length, rejected.size)),
    rejected.size > 0 &&
      h(
        FramedTable,
        { label: texts.faults, head: [texts.line, texts.fault] },
        [...rejected]
          .slice(0, faultsMax)
          .map(([row, fault]) =>
            h('tr', { key: row }, h('th', { scope: 'row' }, source.rows[row]?.line), h('td', null, fault)),
          ),
      ),
  );
}

/** An import under way, or its result. */
function Running({ job }: { readonly job: ImportJob }): VNode {
  const texts = words().records.import;
  const { state, written, before, rejected, total, problem } = job.progress.value;
  const done = written + before + rejected;
  const saveRejected = () => {
    const { name, parts } = job.rejectedFile();
    saveFile(name, parts);
  };
  const forget = () => {
    importing.value = null;
  };
  return h(
    'div',
    { class: 'form narrow' },
    state !== 'done' &&
      h(
        'div',
        { class: 'progress' },
        texts.progress(done, total),
        h('progress', { max: total, value: done, 'aria-label': texts.title(job.task.table) }),
      ),
    state === 'running' && h('p', { class: 'quiet' }, texts.leave),
    problem !== null && h(Note, { tone: 'wrong' }, messageOf(problem)),
    state === 'stopped' && h(Note, { tone: 'warning' }, texts.stopped),
    state !== 'running' && written > 0 && h(Note, { tone: 'good' }, texts.written(written)),
    before > 0 && h(Note, {}, texts.before(before)),
    rejected > 0 && state !== 'running' && h(Note, { tone: 'warning' }, texts.rejected(rejected)),
    h(
      'div',
      { class: 'buttons', role: 'group' },
      state === 'running' && h(Button, { onClick: () => job.stop() }, texts.stop),
      state === 'stopped' && h(Button, { kind: 'main', onClick: () => job.start() }, texts.goOn),
      state !== 'running' && rejected > 0 && h(Button, { onClick: saveRejected }, texts.saveRejected),
      state === 'done' && job.isRepeatable && h(Button, { onClick: () => job.repeat() }, texts.repeat),
      state !== 'running' && h(Button, { onClick: forget }, texts.another),
    ),
  );
}

const encodings = ['utf-8', 'shift_jis', 'windows-1252', 'utf-16le'] as const;
type Encoding = (typeof encodings)[number];

const mebibyte = 2 ** 20;
const fileMebibytesMax = 64;

/**
 * A file as text. If it is not UTF-8, the encoding of Japanese spreadsheets is assumed; the user can choose another.
 */
function FileChoice({ onText }: { readonly onText: (text: string) => void }): VNode {
  const texts = words().records.import;
  const id = useId();
  const [bytes, setBytes] = useState<ArrayBuffer | null>(null);
  const [encoding, setEncoding] = useState<Encoding>('utf-8');
  const [fault, setFault] = useState('');
  const read = (content: ArrayBuffer, as: Encoding) => {
    setEncoding(as);
    onText(new TextDecoder(as).decode(content));
  };
  const choose = async (file: File | undefined) => {
    const isTooLarge = (file?.size ?? 0) > fileMebibytesMax * mebibyte;
    setFault(isTooLarge ? texts.tooLarge(fileMebibytesMax) : '');
    if (file === undefined || isTooLarge) return;
    const content = await file.arrayBuffer();
    setBytes(content);
    read(content, encodingOf(content));
  };
  return h(
    'div',
    { class: 'toolbar' },
    h(
      'div',
      { class: 'field' },
      h('label', { for: id }, texts.file),
      h('div', { id: `${id}-about`, class: 'hint' }, texts.fileHint),
      h('input', {
        id,
        class: 'input',
        type: 'file',
        accept: '.csv,.tsv,.txt,.jsonl,.ndjson,.json',
        'aria-describedby': `${id}-about`,
        onChange: ({ currentTarget }) => void choose(currentTarget.files?.[0]),
      }),
      h('div', { class: 'fault', role: 'alert' }, fault),
    ),
    bytes !== null &&
      h(SelectField<Encoding>, {
        label: texts.encoding,
        value: encoding,
        options: encodings.map((each) => [each, each.toUpperCase()] as const),
        onChange: (chosen) => read(bytes, chosen),
      }),
  );
}

function encodingOf(content: ArrayBuffer): Encoding {
  const [first, second] = new Uint8Array(content);
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return 'utf-8';
  } catch {
    return 'shift_jis';
  }
}
