/** `@rowhouse/client/definition`: checks whether the tables match the generated types, and lists the differences. */
import { Forbidden, RowhouseError } from './errors.ts';
import type { Definition } from './tables.ts';
import type { Transport } from './transport.ts';

/** The tables differ from those that the types were generated from. */
export class DefinitionDrift extends RowhouseError {
  override name = 'DefinitionDrift';
  /** `- Task`, `+ Task.amount long`, `~ Task.title text → varchar(200)`; empty for a user who may not read definitions. */
  readonly differences: readonly string[];

  constructor(differences: readonly string[]) {
    const which = differences.length === 0 ? '.' : `: ${differences.join(', ')}.`;
    super({ message: `The tables are other ones than the types were made for${which}` });
    this.differences = differences;
  }
}

/** A column in the answer of `GET {prefix}/schemas`. */
export interface ColumnDescription {
  readonly colName: string;
  readonly type: string;
  readonly fieldLength?: number;
  readonly precision?: number;
  readonly scale?: number;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly references?: string;
  readonly fullText?: boolean;
}

/** A table as `GET {prefix}/schemas` describes it. */
export interface TableDescription {
  readonly name: string;
  readonly columns: readonly ColumnDescription[];
  readonly indexes?: readonly { readonly columns: readonly string[]; readonly unique?: boolean }[];
  readonly lockFree?: boolean;
}

/** A column's type as text, such as `varchar(200) required`. */
export function typeText({
  type,
  fieldLength,
  precision,
  scale,
  required,
  default: preset,
}: ColumnDescription): string {
  const size =
    type === 'varchar' ? `(${fieldLength ?? 255})` : type === 'decimal' ? `(${precision ?? 18},${scale ?? 0})` : '';
  return `${type}${size}${required ? ' required' : ''}${preset === undefined ? '' : ' default'}`;
}

/** The columns of a table in one line: `title varchar(200) required; amount long`. */
export function columnsText({ columns }: TableDescription): string {
  return columns.map((column) => `${column.colName} ${typeText(column)}`).join('; ');
}

/** The columns of each table, in the form of `columnsText`. */
export type TableTexts = Readonly<Record<string, string>>;

/** The differences, one per line: `- Task`, `+ Task.amount long`, `~ Task.title text → varchar(200)`. */
export function differencesOf(made: TableTexts, present: TableTexts): string[] {
  const lines: string[] = [];
  for (const table of Object.keys({ ...made, ...present })) {
    const before = made[table];
    const now = present[table];
    if (before === undefined || now === undefined) lines.push(`${now === undefined ? '-' : '+'} ${table}`);
    else if (before !== now) lines.push(...columnDifferences(table, columnsOf(before), columnsOf(now)));
  }
  return lines;
}

function columnDifferences(table: string, before: TableTexts, now: TableTexts): string[] {
  return Object.keys({ ...before, ...now }).flatMap((column) => {
    const name = `${table}.${column}`;
    if (before[column] === now[column]) return [];
    if (now[column] === undefined) return [`- ${name}`];
    return before[column] === undefined
      ? [`+ ${name} ${now[column]}`]
      : [`~ ${name} ${before[column]} → ${now[column]}`];
  });
}

function columnsOf(text: string): TableTexts {
  const columns = text === '' ? [] : text.split('; ');
  return Object.fromEntries(columns.map((column) => [column.split(' ', 1)[0], column.slice(column.indexOf(' ') + 1)]));
}

/**
 * Compares the definition that types were generated from with the service's: one small request, and a second one only
 * if they differ.
 * @returns null if they are the same; otherwise an error to be thrown or shown, with `differences` if the user may read
 * definitions
 * @throws RowhouseError if the service could not be reached
 */
export async function driftOf(
  { transport }: { readonly transport: Transport },
  made: Definition,
): Promise<DefinitionDrift | null> {
  const { answer } = await transport.send('definitionInfo', {});
  if (answer.results.hash === made.hash) return null;
  const described = await transport.send('describeTables', {}).catch((error: unknown) => {
    if (error instanceof Forbidden) return null;
    throw error;
  });
  if (described === null) return new DefinitionDrift([]);
  const tables = described.answer.results as readonly TableDescription[];
  const present = Object.fromEntries(tables.map((table) => [table.name, columnsText(table)]));
  const differences = differencesOf(made.tables, present);
  // Different indexes or references change the hash, but not the types.
  return differences.length === 0 ? null : new DefinitionDrift(differences);
}
