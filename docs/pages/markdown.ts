/** Markdown as the generated pages need it. */
import type { Settings } from '../../src/config.ts';

export interface Page {
  /** Below docs/. */
  readonly path: string;
  /** @param storage an empty one, for a page that shows what the service answers */
  make(storage: Partial<Settings>): string | Promise<string>;
}

/** What stands at the top of every generated page, so that nobody edits it by hand. */
export function generatedNote(from: string): string {
  return `<!-- Generated from ${from} by "npm run docs". Do not edit by hand. -->`;
}

export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Outside of code `<folder>` would be taken for HTML, and not be seen. */
function cell(text: string): string {
  const shown = text.replaceAll(/(`[^`]*`)|<(?=[a-z/!?])/gi, (found, code: string | undefined) => code ?? `\\${found}`);
  return shown.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}

export function code(text: string | number): string {
  return `\`${text}\``;
}

/** Blocks with an empty line between them, and a line end at the end, as a file has it. */
export function page(...blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

const jsonWidth = 110;

/** JSON for people: what fits a line stands in one, and members with plain values share lines. */
export function jsonText(value: unknown, indent = ''): string {
  const short = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + short.length <= jsonWidth) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines: string[] = [];
  let isOpen = false;
  for (const [name, member] of Object.entries(value)) {
    const isPlain = typeof member !== 'object' || member === null;
    const text = jsonText(member, inner);
    const part = Array.isArray(value) ? text : `${JSON.stringify(name)}: ${text}`;
    const last = lines.at(-1) ?? '';
    if (isOpen && isPlain && last.length + part.length + 2 <= jsonWidth) lines.splice(-1, 1, `${last}, ${part}`);
    else lines.push(inner + part);
    isOpen = isPlain;
  }
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`);
  return `{${members.join(', ')}}`;
}
