/** Markdown as the generated pages need it. */

export interface Page {
  /** Below docs/. */
  readonly path: string;
  make(): string;
}

/** What stands at the top of every generated page, so that nobody edits it by hand. */
export function generatedNote(from: string): string {
  return `<!-- Made from ${from} by "npm run docs". Do not edit by hand. -->`;
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

/** The anchor that a heading gets where Markdown is shown. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
