/** The form of a new or existing column; it returns the changes from the present to the wanted column. */
import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.ts';
import { CheckField, SelectField, TextField } from '../../components/fields.ts';
import { Form } from '../../components/form.ts';
import type { VNode } from '../../h.ts';
import { h } from '../../h.ts';
import { words } from '../../preferences.ts';
import { type Change, type Column, type ColumnChanges, kinds, type Table, type Typed, typeText } from './definition.ts';

interface ColumnFormProps {
  readonly table: Table;
  /** Null for a new one. */
  readonly column: Column | null;
  readonly tables: readonly Table[];
  /** @throws Refusal, which is displayed */
  readonly onSave: (...changes: readonly Change[]) => Promise<void>;
  readonly onClose: () => void;
}

const unknownColumn: Column = { colName: '', type: 'varchar', fieldLength: 255 };

export function ColumnForm({ table, column, tables, onSave, onClose }: ColumnFormProps): VNode {
  const texts = words().tables;
  const before = column ?? unknownColumn;
  const [name, setName] = useState(before.colName);
  const [type, setType] = useState(before.type);
  const [length, setLength] = useState(String(before.fieldLength ?? 255));
  const [precision, setPrecision] = useState(String(before.precision ?? 12));
  const [scale, setScale] = useState(String(before.scale ?? 2));
  const [required, setRequired] = useState(before.required ?? false);
  const [preset, setPreset] = useState(before.default ?? null);
  const [references, setReferences] = useState(before.references ?? '');
  const [fullText, setFullText] = useState(before.fullText ?? false);
  const isText = type === 'varchar' || type === 'text';

  const now: Column = {
    colName: name.trim(),
    type,
    ...(type === 'varchar' && { fieldLength: Number(length) }),
    ...(type === 'decimal' && { precision: Number(precision), scale: Number(scale) }),
    ...(required && { required }),
    ...(preset !== null && { default: preset }),
    ...(references !== '' && { references }),
    ...(fullText && isText && { fullText }),
  };
  const save = async () => {
    const changes =
      column === null ? [{ op: 'addColumn', table: table.name, column: now } as const] : changesTo(column);
    if (changes.length > 0) await onSave(...changes);
    onClose();
  };
  const changesTo = (from: Column): Change[] => {
    const at = { table: table.name, column: from.colName };
    const changed = differences(from, now);
    return [
      ...(Object.keys(changed).length === 0 ? [] : [{ op: 'changeColumn', ...at, ...changed } as const]),
      ...(now.colName === from.colName ? [] : [{ op: 'renameColumn', ...at, to: now.colName } as const]),
    ];
  };

  const title = column === null ? texts.addColumn : texts.changeColumn(column.colName);
  const others = [['', words().nothing] as const, ...tables.map((each) => [each.name, each.name] as const)];
  return h(
    Dialog,
    { title, onClose },
    h(
      Form,
      { action: column === null ? texts.addColumn : texts.change, onCancel: onClose, onSubmit: save },
      h(TextField, {
        label: texts.name,
        hint: texts.addTableHint,
        value: name,
        onInput: setName,
        required: true,
        maxLength: 63,
        autocomplete: 'off',
        autofocus: true,
      }),
      h(SelectField<Column['type']>, {
        label: texts.type,
        value: type,
        options: kinds.map((each) => [each, each] as const),
        onChange: setType,
      }),
      type === 'varchar' && h(Size, { label: texts.length, hint: texts.lengthHint, value: length, onInput: setLength }),
      type === 'decimal' && h(Size, { label: texts.precision, value: precision, onInput: setPrecision }),
      type === 'decimal' && h(Size, { label: texts.scale, value: scale, onInput: setScale }),
      h(CheckField, { label: texts.requiredLabel, checked: required, onChange: setRequired }),
      h(CheckField, {
        label: texts.hasDefault,
        checked: preset !== null,
        onChange: (has) => setPreset(has ? '' : null),
      }),
      preset !== null && h(TextField, { label: texts.defaultLabel, value: preset, onInput: setPreset, isCode: true }),
      h(SelectField<string>, {
        label: texts.refersTo,
        hint: texts.referenceHint,
        value: references,
        options: others,
        onChange: setReferences,
      }),
      isText && h(CheckField, { label: texts.fullTextLabel, checked: fullText, onChange: setFullText }),
    ),
  );
}

interface SizeProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function Size(props: SizeProps): VNode {
  return h(TextField, { ...props, type: 'number', required: true, autocomplete: 'off' });
}

/** The members of `changeColumn` that turn one column into the other; the name is changed separately. */
function differences(from: Column, to: Column): ColumnChanges {
  return {
    ...(typeText(from) !== typeText(to) && typeOf(to)),
    ...(Boolean(from.required) !== Boolean(to.required) && { required: Boolean(to.required) }),
    ...(from.default !== to.default && { default: to.default ?? null }),
    ...(from.references !== to.references && { references: to.references ?? null }),
    ...(Boolean(from.fullText) !== Boolean(to.fullText) && { fullText: Boolean(to.fullText) }),
  };
}

function typeOf({ type, fieldLength, precision, scale }: Column): Typed {
  return {
    type,
    ...(fieldLength !== undefined && { fieldLength }),
    ...(precision !== undefined && { precision }),
    ...(scale !== undefined && { scale }),
  };
}
