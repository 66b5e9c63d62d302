/** Rows of a file as records of a table: matches columns, and checks values. Pure. */
import { type ColumnDescription, isText, type TableDescription } from '../../../queries.ts';
import { errorColumn, inTurns, type Source } from './source.ts';

/** Columns that the service accepts in a new record besides those of its table. */
const system = ['objectId', 'scopeType', 'groupIds', 'CreateTime', 'UpdateTime'];

/** The columns to which a column of a file can be matched. */
export function targetsOf({ columns }: TableDescription): readonly string[] {
  const own = columns.map(({ colName }) => colName);
  const taken = new Set(own.map((name) => name.toLowerCase()));
  return [...own, ...system.filter((name) => !taken.has(name.toLowerCase()))];
}

/** A target for each column, or null for a column that is not imported. */
export type Match = readonly (string | null)[];

/**
 * Matches by name, ignoring case, spaces and dashes; each target once. Groups are not matched, so they default to the
 * new owner's.
 */
export function matchOf(names: readonly string[], targets: readonly string[]): Match {
  const left = new Map(targets.filter((name) => name !== 'groupIds').map((name) => [plain(name), name]));
  return names.map((name) => {
    const found = name === errorColumn ? undefined : left.get(plain(name));
    if (found !== undefined) left.delete(plain(name));
    return found ?? null;
  });
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '');
}

export interface CheckedRow {
  /** Its position in the source. */
  readonly row: number;
  readonly item: Readonly<Record<string, unknown>>;
}

export interface Checked {
  readonly items: readonly CheckedRow[];
  /** Errors, by the position of the row. */
  readonly rejected: ReadonlyMap<number, string>;
}

export interface Checks {
  /** What is wrong with a value for a column; null if it is valid. */
  readonly valueFault: (column: string, value: unknown) => string | null;
  readonly required: string;
  readonly flaws: Readonly<Record<NonNullable<Source['rows'][number]['flaw']>, string>>;
}

/** Checks every row before anything is sent. */
export async function checkRows(
  { columns }: TableDescription,
  { form, rows }: Source,
  match: Match,
  checks: Checks,
  signal: AbortSignal,
): Promise<Checked> {
  const items: CheckedRow[] = [];
  const rejected = new Map<number, string>();
  const byName = new Map(columns.map((column) => [column.colName, column]));
  const required = columns.filter((column) => column.required && column.default === undefined);
  const itemOf = (values: readonly unknown[]) => {
    const item: Record<string, unknown> = {};
    for (const [index, name] of match.entries()) {
      const value = values[index];
      if (name === null || value === undefined || (form === 'csv' && isNothing(byName.get(name), value))) continue;
      item[name] = value;
    }
    return item;
  };
  const faultOf = (item: CheckedRow['item']): string | null => {
    for (const [name, value] of Object.entries(item)) {
      const fault = checks.valueFault(name, value);
      if (fault !== null) return `${name}: ${fault}`;
    }
    const missing = required.find(({ colName }) => item[colName] === undefined || item[colName] === null);
    return missing === undefined ? null : `${missing.colName}: ${checks.required}`;
  };
  const judge = ([row, { values, flaw }]: readonly [number, Source['rows'][number]]) => {
    const item = itemOf(values);
    const fault = flaw === null ? faultOf(item) : checks.flaws[flaw];
    if (fault === null) items.push({ row, item });
    else rejected.set(row, fault);
  };
  await inTurns(rows.entries(), judge, signal);
  return { items, rejected };
}

/** Empty text is neither a number nor a time; programs write it for no value. */
function isNothing(column: ColumnDescription | undefined, value: unknown): boolean {
  return value === '' && (column === undefined || !isText(column));
}
