/**
 * Reads CSV (RFC 4180) record by record, so that a long file can be read in turns, and writes it. Separators are
 * commas, semicolons or tabs; a line ends with CR, LF or both. Nothing between two separators is no value, and `""` is
 * empty text. Pure.
 */

export type Separator = ',' | ';' | '\t';

/** Text, or null for no value. */
export type Field = string | null;

/** An unclosed quotation mark, or text after a closing one. */
export type CsvFlaw = 'open' | 'trailing';

export interface CsvRecord {
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly fields: readonly Field[];
  readonly flaw: CsvFlaw | null;
}

/** The records of a text. Empty lines are skipped. */
export function* csvRecords(text: string, separator: Separator): Generator<CsvRecord> {
  const plain = new RegExp(`[^${separator}\r\n]*`, 'y');
  let at = 0;
  let line = 1;
  const take = () => {
    plain.lastIndex = at;
    const [found] = plain.exec(text) as RegExpExecArray;
    at += found.length;
    return found;
  };
  while (at < text.length) {
    const begin = at;
    const fields: Field[] = [];
    let flaw: CsvFlaw | null = null;
    do {
      if (fields.length > 0) at += 1;
      if (text[at] !== '"') {
        fields.push(take() || null);
        continue;
      }
      const quoted = quotedField(text, at);
      fields.push(quoted.value);
      at = quoted.end;
      if (!quoted.isClosed) flaw = 'open';
      else if (take() !== '') flaw ??= 'trailing';
    } while (text[at] === separator);
    if (fields.length > 1 || fields[0] !== null) yield { line, fields, flaw };
    at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    line += linesIn(text, begin, at);
  }
}

/** @param begin position of its first quotation mark */
function quotedField(text: string, begin: number): { value: string; end: number; isClosed: boolean } {
  let value = '';
  let from = begin + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return { value: value + text.slice(from), end: text.length, isClosed: false };
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1, isClosed: true };
    value += '"';
    from = quote + 2;
  }
}

function linesIn(text: string, begin: number, end: number): number {
  return text.slice(begin, end).match(/\r\n|\r|\n/g)?.length ?? 0;
}

/** The separator with which the first record has the most fields. */
export function separatorOf(text: string): Separator {
  const separators = [',', ';', '\t'] as const;
  const counts = separators.map((each) => csvRecords(text, each).next().value?.fields.length ?? 0);
  return separators[counts.indexOf(Math.max(...counts))] as Separator;
}

/** A line that `csvRecords` reads as these fields; a record of one field needs a value. */
export function csvLine(fields: readonly Field[], separator: Separator): string {
  const written = fields.map((field) => {
    if (field === null) return '';
    return field === '' || /["\r\n,;\t]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  });
  return `${written.join(separator)}\r\n`;
}
