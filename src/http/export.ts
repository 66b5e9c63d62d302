/**
 * Exports: lines that are made while the client reads, so that a large export needs no more memory than a small one.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

export interface Export {
  readonly contentType: string;
  /** The file name that a browser proposes. */
  readonly fileName: string;
  /** Lines with their line ends. A later error breaks the connection, so that no partial file looks complete. */
  readonly lines: AsyncIterable<string>;
}

/**
 * Waits for the first line, so that an invalid request is answered as an error.
 * @throws ServiceError whatever the first line throws
 */
export async function exportOf(
  contentType: string,
  fileName: string,
  lines: AsyncGenerator<string, void, undefined>,
): Promise<Export> {
  const first = await lines.next();
  return { contentType, fileName, lines: first.done === true ? empty() : following(first.value, lines) };
}

export function sendExport(reply: FastifyReply, { contentType, fileName, lines }: Export): void {
  reply
    .header('content-type', `${contentType}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(Readable.from(lines, { objectMode: true, highWaterMark: linesAhead }));
}

/** Prepared before the client has read the previous lines. */
const linesAhead = 16;

/** One JSON object a line. */
export async function* jsonLines<Row>(
  rows: AsyncIterable<Row>,
  toResponse: (row: Row) => object,
): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(toResponse(row))}\n`;
}

/** RFC 4180, with a header line. */
export async function* csvLines<Row>(
  heading: string,
  rows: AsyncIterable<Row>,
  cells: (row: Row) => readonly (string | number | null)[],
): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  for await (const row of rows) {
    yield isFirst ? heading + csvLine(cells(row)) : csvLine(cells(row));
    isFirst = false;
  }
  if (isFirst) yield heading;
}

export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * Text that a spreadsheet would take for a formula gets an apostrophe in front: anyone can choose the account name of a
 * refused sign-in (https://owasp.org/www-community/attacks/CSV_Injection).
 */
function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* following(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* rest;
}

async function* empty(): AsyncGenerator<string, void, undefined> {}
