/**
 * The sizes of tables on SQLite, which stores no counts: estimated from the records in a hundred evenly spaced windows
 * of row numbers. The windows cover a table of at most ten thousand row numbers completely, so its count is exact.
 */
import type { ColumnType, Table } from '../../schema/model.ts';
import { isOfTerms, storedName } from '../../schema/names.ts';
import { systemName } from '../../schema/system.ts';
import type { DataSpaces, TableSize } from '../contract.ts';
import { audienceColumn } from '../layout.ts';
import { typedRows } from '../typed-rows.ts';
import { sqliteDialect } from './dialect.ts';

const long: ColumnType = { kind: 'long' };

const windows = 100;
const windowRows = 100;

/** Approximate number of terms of a text, each of which has an entry with the id. */
const termsPerText = 8;

export async function sizesOf(
  spaces: Pick<DataSpaces, 'definition' | 'select'>,
  spaceId: number,
  names: readonly string[],
): Promise<readonly TableSize[]> {
  const { tables } = await spaces.definition(spaceId);
  const sizes: TableSize[] = [];
  for (const name of names) {
    const table = tables.get(name);
    if (table === undefined) continue;
    const [row] = await typedRows(spaces, spaceId, { sql: sampleSql(table), types: [long, long, long] });
    const [rows, bytes, every] = (row ?? []).map(Number) as [number, number, number];
    const factor = every / windowRows;
    sizes.push({ table: name, rows: Math.round(rows * factor), bytes: Math.round(bytes * factor) });
  }
  return sizes;
}

/**
 * Returns one row: the number of records in the windows, their bytes, and the distance of the windows. The length of a
 * value is read from the header of its record.
 */
function sampleSql(table: Table): string {
  const from = sqliteDialect.table(storedName(table));
  const values = [...copiesOf(table)].map(([column, copies]) => `${copies} * ifnull(octet_length(${column}), 0)`);
  return `WITH RECURSIVE
    _span (least, most) AS (SELECT (SELECT min(rowid) FROM ${from}), (SELECT max(rowid) FROM ${from})),
    _step (every) AS (SELECT max(${windowRows}, (most - least + ${windows}) / ${windows}) FROM _span),
    _window (least) AS (SELECT least FROM _span WHERE least IS NOT NULL
      UNION ALL SELECT _window.least + every FROM _window, _span, _step WHERE _window.least + every <= most)
    SELECT CAST(count(*) AS TEXT), CAST(ifnull(sum(${values.join(' + ')}), 0) AS TEXT), CAST(ifnull(max(every), 0) AS TEXT)
    FROM _step, _window CROSS JOIN ${from} AS _record ON _record.rowid BETWEEN _window.least AND _window.least + ${windowRows - 1}`;
}

/** How often each column is stored: in its table, in each index that has it, and in the counterpart that begins with the audience. */
function copiesOf({ written: columns, indexes }: Table): ReadonlyMap<string, number> {
  const copies = new Map(columns.map((column) => [sqliteDialect.column(storedName(column)), 1]));
  const more = (column: string, count: number) => copies.set(column, (copies.get(column) ?? 0) + count);
  for (const name of indexes.flatMap((index) => index.columns)) {
    const column = columns.find((each) => each.name === name);
    if (column !== undefined) more(sqliteDialect.column(storedName(column)), 2);
  }
  const texts = columns.filter(({ name }) => isOfTerms(name)).length;
  more(sqliteDialect.column(systemName.objectId), 2 + 2 * indexes.length + termsPerText * texts);
  more(audienceColumn, 2 + indexes.length);
  return copies;
}
