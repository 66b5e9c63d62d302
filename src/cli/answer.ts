/** An action's result: one JSON document for programs, and the same as text for people. */

export interface Answer {
  readonly json: unknown;
  /** Lines, without a final line end. */
  readonly text: string;
  /** Exit status if not 0: the action completed, but reports a finding. */
  readonly status?: number;
}

export function line(text: string, json: unknown): Answer {
  return { text, json };
}

/**
 * A table with one row per item. `columns` maps each heading to its cell.
 * @param empty the line that replaces a table without rows
 */
export function table<Item>(
  items: readonly Item[],
  columns: Readonly<Record<string, (item: Item) => Cell>>,
  empty: string,
): Answer {
  if (items.length === 0) return { text: empty, json: items };
  const headings = Object.keys(columns);
  const rows = items.map((item) => headings.map((heading) => columns[heading]?.(item) ?? null));
  return { text: aligned([headings, ...rows]), json: items };
}

/** One object, with a line per field. */
export function card(fields: Readonly<Record<string, Cell>>, json: unknown): Answer {
  return { text: aligned(Object.entries(fields)), json };
}

export type Cell = string | number | boolean | null | readonly (string | number)[];

/** Columns as wide as their widest cell. */
export function aligned(rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map(cellText));
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, width(cell));
    });
  }
  return cells
    .map((row) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell))).join('  '))
    .map((text) => text.trimEnd())
    .join('\n');
}

function cellText(cell: Cell): string {
  if (cell === null || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell === 'object') return cell.length === 0 ? '-' : cell.join(', ');
  return String(cell);
}

/** Approximate width in a terminal: code points without combining marks. */
function width(text: string): number {
  return [...text.replace(/\p{M}/gu, '')].length;
}
