/** A file as text. What is not UTF-8 is taken for the encoding that spreadsheets write in Japan, and can be read as another. */
import { useId, useState } from 'preact/hooks';
import { SelectField } from '../../../components/fields.ts';
import type { VNode } from '../../../h.ts';
import { h } from '../../../h.ts';
import { words } from '../../../preferences.ts';

const encodings = ['utf-8', 'shift_jis', 'windows-1252', 'utf-16le'] as const;
type Encoding = (typeof encodings)[number];

const mebibyte = 2 ** 20;
const fileMebibytesMax = 64;

export function FileChoice({ onText }: { readonly onText: (text: string) => void }): VNode {
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
