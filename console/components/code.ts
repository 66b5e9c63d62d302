/** Verbatim text with a copy button: keys, addresses, messages, JSON. */
import { useRef, useState } from 'preact/hooks';
import type { VNode } from '../h.ts';
import { h } from '../h.ts';
import { words } from '../preferences.ts';
import { Button } from './basics.ts';

export function Code({ text }: { text: string }): VNode {
  const shown = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // A browser may refuse, or not support it without TLS; then the text is selected, to be copied by hand.
      getSelection()?.selectAllChildren(shown.current as HTMLPreElement);
    }
  };
  return h(
    'div',
    { class: 'code-frame' },
    h('pre', { class: 'code-block', tabIndex: 0, ref: shown }, text),
    h(Button, { onClick: () => void copy() }, isCopied ? words().copied : words().copy),
  );
}

export function Json({ value }: { value: unknown }): VNode {
  return h(Code, { text: JSON.stringify(value, null, 2) });
}
