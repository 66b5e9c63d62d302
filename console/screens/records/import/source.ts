/** Rows to be imported, from CSV or from JSON lines: read in turns, so that the page stays responsive. Pure. */
import { type CsvFlaw, type CsvRecord, csvLine, csvRecords, type Field, type Separator, separatorOf } from './csv.ts';

export type Flaw = CsvFlaw | 'fields' | 'json';

export interface SourceRow {
  /** The line in the file where it begins, from 1. */
  readonly line: number;
  /** In the order of the names; undefined for no value. */
  readonly values: readonly unknown[];
  /** Why it can't be imported. */
  readonly flaw: Flaw | null;
  /** The original text, for JSON lines. */
  readonly text?: string;
}

export interface Source {
  readonly form: 'csv' | 'jsonl';
  readonly separator: Separator;
  /** Names of the columns, in order. */
  readonly names: readonly string[];
  readonly rows: readonly SourceRow[];
}

/** JSON lines begin with an object; any other file is CSV, whose first record has the names. */
export async function readSource(text: string, signal: AbortSignal): Promise<Source> {
  return /^\s*\{/.test(text) ? readJsonLines(text, signal) : readCsv(text, signal);
}

async function readCsv(text: string, signal: AbortSignal): Promise<Source> {
  const separator = separatorOf(text);
  const records: CsvRecord[] = [];
  await inTurns(csvRecords(text, separator), (record) => records.push(record), signal);
  const [head, ...rest] = records;
  const names = (head?.fields ?? []).map((name) => (name ?? '').trim());
  const rows = rest.map(({ line, fields, flaw }): SourceRow => {
    const hasAll = fields.length === names.length;
    return { line, values: fields.map((field) => field ?? undefined), flaw: flaw ?? (hasAll ? null : 'fields') };
  });
  return { form: 'csv', separator, names, rows };
}

async function readJsonLines(text: string, signal: AbortSignal): Promise<Source> {
  const names = new Map<string, number>();
  const rows: SourceRow[] = [];
  const readLine = (line: string, index: number) => {
    const object = line.trim() === '' ? null : objectOf(line);
    if (object === null) {
      if (line.trim() !== '') rows.push({ line: index + 1, values: [], flaw: 'json', text: line });
      return;
    }
    const values: unknown[] = [];
    for (const [name, value] of Object.entries(object)) {
      if (!names.has(name)) names.set(name, names.size);
      values[names.get(name) as number] = value;
    }
    rows.push({ line: index + 1, values, flaw: null, text: line });
  };
  const lines = text.split(/\r\n|\r|\n/);
  await inTurns(lines.entries(), ([index, line]) => readLine(line, index), signal);
  return { form: 'jsonl', separator: ',', names: [...names.keys()], rows };
}

function objectOf(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The column for errors in a file of rejected rows; it is not imported. */
export const errorColumn = '_error';

/** Rows with their errors, as a file that can be corrected and imported again. */
export function rejectedText(source: Source, rejected: Iterable<readonly [row: number, fault: string]>): string[] {
  const { form, separator, names, rows } = source;
  const own = names.flatMap((name, index) => (name === errorColumn ? [] : [index]));
  // The error comes first, so that it is in its column even in a row with too many fields.
  const lines = form === 'csv' ? [csvLine([errorColumn, ...own.map((index) => names[index] ?? null)], separator)] : [];
  for (const [row, fault] of rejected) {
    const { values, text = '', flaw } = rows[row] as SourceRow;
    if (form === 'csv') {
      const fields = [
        ...own.filter((index) => index < values.length).map((index) => values[index]),
        ...values.slice(names.length),
      ];
      lines.push(csvLine([fault, ...fields.map((value) => (value as Field | undefined) ?? null)], separator));
    } else if (flaw === null) lines.push(`${withError(text, fault)}\n`);
    else lines.push(`${text}\n`);
  }
  return lines;
}

/** The text of an object, which keeps its numbers and members as they were written, with the error first, in place of an earlier one. */
function withError(text: string, fault: string): string {
  const begin = /^\s*\{\s*(?:"_error"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?\s*)?/;
  const rest = text.replace(begin, '');
  return `{"${errorColumn}":${JSON.stringify(fault)}${rest.startsWith('}') ? '' : ','}${rest}`;
}

/** How long work may run before the page can respond. */
const turnMs = 12;

/** @throws the signal's reason if it is aborted */
export async function inTurns<Item>(
  items: Iterable<Item>,
  each: (item: Item) => void,
  signal: AbortSignal,
): Promise<void> {
  let until = performance.now() + turnMs;
  for (const item of items) {
    each(item);
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    until = performance.now() + turnMs;
  }
}
