/**
 * One record: its values, changed under the optimistic lock, its JSON, its owner and the users who see it; or a new
 * record for an owner.
 */
import { useState } from 'preact/hooks';
import { Refusal } from '../../api.ts';
import { Problem, useAsked, Waiting } from '../../components/asked.ts';
import { Button, Empty, Facts } from '../../components/basics.ts';
import { Owner } from '../../components/choices.ts';
import { DangerButton } from '../../components/danger.ts';
import { Dialog } from '../../components/dialog.ts';
import { SelectField, TextField } from '../../components/fields.ts';
import { Form } from '../../components/form.ts';
import { tell } from '../../components/toasts.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { newObjectId } from '../../random.ts';
import {
  type ColumnDescription,
  isNumeric,
  lockOf,
  type Row,
  recordOf,
  shown,
  type TableDescription,
  type VersionParams,
  Writer,
} from '../../records.ts';
import { may } from '../../session.ts';
import type { Typed } from './cell-changes.ts';
import { Conflict } from './conflict.ts';

interface DrawerProps {
  readonly params: VersionParams;
  readonly table: TableDescription;
  /** Null for a new record. */
  readonly objectId: string | null;
  /** The grid's row; null if it is on another page. */
  readonly row: Row | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RecordDrawer(props: DrawerProps): VNode {
  const { params, table, objectId, row, onClose } = props;
  const texts = words().records;
  const found = useAsked(
    async () => row ?? (objectId === null ? null : await recordOf(params, table.name, objectId)),
    [],
  );
  const isNew = objectId === null;
  const isThere = found.value !== null;
  return h(
    Dialog,
    { title: isNew ? texts.addTo(table.name) : `${table.name} ${objectId}`, shape: 'drawer', onClose },
    found.error !== null && h(Problem, { error: found.error, again: found.again }),
    found.isAsking && !isNew && !isThere && h(Waiting, {}),
    !found.isAsking && !isNew && !isThere && found.error === null && h(Empty, { title: texts.gone }),
    (isNew || isThere) && h(RecordForm, { ...props, base: found.value }),
  );
}

/** The values of a record as they are typed; of a new one, the defaults, and nothing for columns without one. */
function typedOf({ columns }: TableDescription, row: Row | null): Typed {
  const textOf = (value: unknown) => (value === null || value === undefined ? null : shown(value));
  if (row !== null) return Object.fromEntries(columns.map(({ colName }) => [colName, textOf(row[colName])]));
  const withDefault = columns.filter((column) => column.default !== undefined);
  return Object.fromEntries(withDefault.map((column) => [column.colName, textOf(column.default)]));
}

function RecordForm({
  params,
  table,
  base: first,
  onClose,
  onDone,
}: DrawerProps & { readonly base: Row | null }): VNode {
  const texts = words().records;
  const [base, setBase] = useState(first);
  const [typed, setTyped] = useState<Typed>(() => typedOf(table, first));
  const [theirs, setTheirs] = useState<Row | null>(null);
  const [ownerId, setOwnerId] = useState('');
  const mayWrite = may.value('record.write');
  const [writer] = useState(() => new Writer(params));
  const [newId] = useState(() => newObjectId(table.name));
  const changesOf = (row: Row) => {
    const before = typedOf(table, row);
    return Object.keys(typed).filter((name) => typed[name] !== before[name]);
  };
  const changed = base === null ? [] : changesOf(base);
  const valuesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, typed[name] ?? null]));
  /** @returns the record if an earlier attempt without an answer had already added it, perhaps with other values */
  const add = async (): Promise<Row | null> => {
    const wasUnclear = writer.isUnclear;
    const data = [{ ...typed, objectId: newId }];
    try {
      await writer.write({ op: 'add', objectName: table.name, data, ownerId: Number(ownerId) });
      return null;
    } catch (error) {
      if (!wasUnclear || writer.isUnclear) throw error;
      const added = await recordOf(params, table.name, newId);
      if (added === null) throw error;
      setBase(added);
      setTyped({ ...typedOf(table, added), ...typed });
      return added;
    }
  };
  const change = async (row: Row) => {
    const data = [{ ...lockOf(row), ...valuesOf(changesOf(row)) }];
    try {
      await writer.write({ op: 'update', objectName: table.name, data });
    } catch (error) {
      if (error instanceof Refusal && error.code === 130)
        setTheirs(await recordOf(params, table.name, String(row.objectId)));
      throw error;
    }
  };
  const save = async () => {
    const row = base ?? (await add());
    if (row !== null && changesOf(row).length > 0) await change(row);
    tell(words().saved);
    onDone();
  };
  const remove = async () => {
    await writer.write({ op: 'delete', objectName: table.name, data: [lockOf(base as Row)] });
    tell(words().removed(String(base?.objectId)));
    onDone();
  };
  const takeTheirs = () => {
    setTyped(typedOf(table, theirs));
    setBase(theirs);
    setTheirs(null);
  };
  const keepMine = () => {
    // Columns without typed values take their new values.
    setTyped({ ...typedOf(table, theirs), ...valuesOf(changed) });
    setBase(theirs);
    setTheirs(null);
  };
  return h(
    'div',
    { class: 'form' },
    base !== null && h(Facts, { of: factsOf(base) }),
    theirs !== null &&
      h(Conflict, {
        mine: typed,
        base: base as Row,
        theirs,
        columns: table.columns,
        onMine: keepMine,
        onTheirs: takeTheirs,
      }),
    h(
      Form,
      {
        action: base === null ? words().add : words().save,
        disabled: !mayWrite || (base !== null && changed.length === 0),
        onCancel: onClose,
        onSubmit: save,
      },
      base === null && h(Owner, { companyId: params.companyId, ownerId, onChange: setOwnerId }),
      table.columns.map((column) =>
        h(ValueField, {
          key: column.colName,
          column,
          value: typed[column.colName] ?? null,
          onChange: (value) => setTyped({ ...typed, [column.colName]: value }),
        }),
      ),
    ),
    base !== null &&
      h(
        'details',
        null,
        h('summary', null, 'JSON'),
        h('pre', { class: 'code-block', tabIndex: 0 }, JSON.stringify(base, null, 2)),
      ),
    base !== null &&
      mayWrite &&
      h('div', null, h(DangerButton, { action: texts.remove, onConfirm: remove, children: texts.removeWhat })),
  );
}

function factsOf(row: Row): readonly (readonly [string, string])[] {
  const scopes = words().records.scopes;
  const names = ['createUserId', 'groupIds', 'serverCreateTime', 'serverUpdateTime'];
  return [
    [words().records.seenBy, scopes[Number(row.scopeType) as 1 | 2 | 3] ?? ''],
    ...names.map((name) => [name, shown(row[name])] as const),
  ];
}

interface ValueFieldProps {
  readonly column: ColumnDescription;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

function ValueField({ column, value, onChange }: ValueFieldProps): VNode {
  const { colName: name, type, required } = column;
  const texts = words().records;
  const options = [
    ['', texts.null],
    ['true', 'true'],
    ['false', 'false'],
  ] as const;
  if (type === 'bool') {
    return h(SelectField<string>, {
      label: name,
      value: value ?? '',
      options,
      onChange: (text) => onChange(text === '' ? null : text),
    });
  }
  const hint = `${typeText(column)}${required ? `, ${texts.required}` : ''}${value === null ? `, ${texts.isNull}` : ''}`;
  const isLong = type === 'text' || type === 'json';
  return h(
    'div',
    { class: 'with-clear' },
    h(TextField, {
      label: name,
      hint,
      value: value ?? '',
      onInput: onChange,
      isCode: isNumeric(column) || type === 'json' || type === 'datetime',
      ...(isLong && { rows: 3 }),
    }),
    value !== null &&
      !required &&
      h(Button, { kind: 'plain', label: `${texts.setNull}: ${name}`, onClick: () => onChange(null) }, texts.setNull),
  );
}

function typeText(column: ColumnDescription): string {
  const { type, fieldLength, precision, scale } = column;
  if (fieldLength !== undefined) return `${type}(${fieldLength})`;
  return precision === undefined ? type : `${type}(${precision}, ${scale})`;
}
